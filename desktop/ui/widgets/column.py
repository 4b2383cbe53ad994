"""A layout that remembers how tall it is: a long list is laid out again without measuring every text."""

from PySide6.QtWidgets import QBoxLayout, QWidget


class Remembering(QBoxLayout):
    """For the rows of a list. Qt asks each of them for its height at several widths whenever one row of the
    list changes, which for fifty wrapped texts is felt."""

    def __init__(self, direction: QBoxLayout.Direction, parent: QWidget) -> None:
        self._heights: dict[int, int] = {}
        super().__init__(direction, parent)

    def invalidate(self) -> None:
        self._heights.clear()
        super().invalidate()

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = super().heightForWidth(width)
        return self._heights[width]

    def minimumHeightForWidth(self, width: int) -> int:
        return self.heightForWidth(width)
