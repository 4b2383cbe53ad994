"""Which model does what: the usual one, a small one, one that sees, and those to ask instead, in order."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from desktop.api.providers import Draft, ProviderLine
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.part import PageData, Part
from desktop.ui.settings.providers.card import set_up
from desktop.ui.settings.providers.models import ModelPicker
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

type Ref = tuple[str, str]
"""Model and provider."""

_USUAL, _SMALL, _SEES = "", "small_model", "vision_model"
_HERE = "agents.defaults"
_VALUE = 250
"""Pixels of a model's name; the whole one is in the hint."""


class Chooser(QWidget):
    """A provider and one of its models."""

    chosen = Signal(str, str)
    """Model, provider."""
    left = Signal()

    def __init__(self, actions: Actions, rows: Sequence[ProviderLine]) -> None:
        super().__init__()
        self._rows = {row.name: row for row in rows}
        self.box, self.picker = CalmBox(), ModelPicker(actions)
        self._take, self._leave = button("primary"), button("quiet")
        for name, row in self._rows.items():
            self.box.addItem(row.title, name)
        buttons = across(None, self._leave, self._take)
        down(self.box, self.picker, buttons, edges=(0, 0, 0, Space.M), of=self)
        self.setFocusProxy(self.box)
        self.box.currentIndexChanged.connect(self._turned)
        self._take.clicked.connect(self._chosen)
        self.picker.edit.returnPressed.connect(self._chosen)
        self._leave.clicked.connect(self.left)
        self._turned()
        spoken(self._words)

    def _words(self) -> None:
        self.box.setAccessibleName(_("Provider"))
        self._take.setText(_("Choose"))
        self._leave.setText(_("Cancel"))

    def put(self, ref: Ref) -> None:
        """Begin with this one."""
        place = self.box.findData(ref[1])
        if place >= 0:
            self.box.setCurrentIndex(place)
            self.picker.put(ref[0], self._row.suggestion)

    @property
    def _row(self) -> ProviderLine:
        return self._rows.get(str(self.box.currentData() or ""), ProviderLine())

    def _turned(self) -> None:
        row = self._row
        self.picker.ask(Draft(row.name))
        self.picker.put("", row.suggestion)
        self.picker.setVisible(row.kind != "builtin")

    def _chosen(self) -> None:
        row = self._row
        model = "" if row.kind == "builtin" else self.picker.text() or row.suggestion
        self.chosen.emit(model, row.name or "auto")


class Purpose(QWidget):
    """One purpose, and the model for it; without one, what counts then."""

    def __init__(self) -> None:
        super().__init__()
        self.change, self.clear, self._value = button(), IconButton("undo-2"), label("muted")
        side = QWidget()
        across((self._value, 1), self.clear, self.change, of=side)
        self.row, self.below = Row(side, width=0), QVBoxLayout()
        down(self.row, self.below, gap=0, of=self)

    def say(self, title: str, help_: str, value: str, *, named: bool) -> None:
        """Set the words."""
        self.row.say(title, help_)
        metrics = self._value.fontMetrics()
        self._value.setText(metrics.elidedText(value, Qt.TextElideMode.ElideMiddle, _VALUE))
        self._value.setAccessibleName(value)
        self._value.setToolTip(tip(value))
        self.change.say(_("Change…"), _("Change: {name}").format(name=title))
        self.clear.say(_("Reset to default: {title}").format(title=title))
        self.clear.setVisible(named)


class Spare(QWidget):
    """A model to ask instead: its place can be changed, and it can be taken away."""

    def __init__(self, words: str, place: int, count: int, act: Callable[[str], None]) -> None:
        super().__init__()
        self.acts: dict[str, IconButton] = {}
        row = across(
            (label("", f"{place + 1}.  {words}"), 1),
            gap=Space.XS,
            edges=(0, Space.XS, 0, Space.XS),
            of=self,
        )
        for name, sign, said in (
            ("up", "arrow-up", _("Move up: {name}")),
            ("down", "arrow-down", _("Move down: {name}")),
            ("remove", "x", _("Remove: {name}")),
        ):
            made = self.acts[name] = IconButton(sign)
            made.say(said.format(name=words))
            made.clicked.connect(partial(act, name))
            made.setEnabled(
                not (name == "up" and place == 0) and not (name == "down" and place == count - 1)
            )
            row.addWidget(made)


class Purposes(Part):
    """Saved as soon as something is chosen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._data: PageData | None = None
        self.purposes = {name: Purpose() for name in (_USUAL, _SMALL, _SEES)}
        self._instead, self.add, self.outcome = Row(QWidget(), width=0), button("link", "plus"), Outcome()
        self.spares: list[Spare] = []
        self._chooser: Chooser | None = None
        self._wanted: tuple[int, str] | None = None
        self._spares_box, self._adding = QVBoxLayout(), QVBoxLayout()
        card = Card()
        for purpose in self.purposes.values():
            card.add(purpose)
        last = QWidget()
        down(
            self._instead,
            self._spares_box,
            self._adding,
            self.add,
            gap=0,
            edges=(0, 0, 0, Space.S),
            of=last,
        )
        card.add(last)
        self.column.addWidget(card)
        self.column.addWidget(self.outcome)
        for name, purpose in self.purposes.items():
            purpose.change.clicked.connect(partial(self._choose, name))
            purpose.clear.clicked.connect(partial(self._clear, name))
        self.add.clicked.connect(self._choose_spare)
        spoken(self._words)

    # ---- what is shown

    def _words(self) -> None:
        usual = _("The default model")
        told = {
            _USUAL: (
                _("Default model"),
                _("Answers unless you choose another one."),
                _("Chosen automatically"),
            ),
            _SMALL: (
                _("Small model"),
                _("Writes titles and summaries. A local one is enough."),
                usual,
            ),
            _SEES: (
                _("Vision model"),
                _("Answers messages with images if the default model can’t see them."),
                "",
            ),
        }
        for name, purpose in self.purposes.items():
            title, help_, otherwise = told[name]
            ref = self._ref(name)
            named = ref not in (("", "auto"), ("", ""))
            purpose.say(title, help_, self._shown(ref) if named else otherwise, named=named)
        self._instead.say(
            _("Fallback models"),
            _("Used in this order when the default model can’t be reached or is out of quota."),
        )
        self.add.setText(" " + _("Add a model"))
        self.add.setAccessibleName(_("Add a fallback model"))
        self._show_spares()

    def show_all(self, data: PageData) -> None:
        self._data = data
        self._words()

    def leave(self) -> None:
        self._close()
        self.outcome.clear()

    def _value(self, name: str, usual: Any) -> Any:
        return self._data.settings.values.get(f"{_HERE}.{name}", usual) if self._data else usual

    def _ref(self, name: str) -> Ref:
        dot = f"{name}." if name else ""
        return str(self._value(f"{dot}model", "")), str(self._value(f"{dot}provider", "auto"))

    @property
    def _refs(self) -> list[Ref]:
        return [(ref["model"], ref["provider"]) for ref in self._value("fallback_models", ())]

    def _shown(self, ref: Ref) -> str:
        model, provider = ref
        rows = self._data.providers.providers if self._data else ()
        title = next((row.title for row in rows if row.name == provider), provider)
        parts = (title if provider != "auto" else "", model)
        return " · ".join(part for part in parts if part)

    def _show_spares(self) -> None:
        had = self._wanted or self._focused()
        self._wanted = None
        for old in self.spares:
            self._spares_box.removeWidget(old)
            old.hide()
            old.deleteLater()
        refs = self._refs
        self.spares = [
            Spare(self._shown(ref), place, len(refs), partial(self._act, place))
            for place, ref in enumerate(refs)
        ]
        for spare in self.spares:
            self._spares_box.addWidget(spare)
        if had is not None:
            self._focus(*had)

    def _focused(self) -> tuple[int, str] | None:
        """Which button of which model has the keyboard."""
        focus = QApplication.focusWidget()
        for place, spare in enumerate(self.spares):
            for act, made in spare.acts.items():
                if made is focus:
                    return place, act
        return None

    def _focus(self, place: int, act: str) -> None:
        """Give the keyboard back to where it was, or as near as there is."""
        if not self.spares:
            self.add.setFocus()
            return
        acts = self.spares[min(place, len(self.spares) - 1)].acts
        wanted = acts[act] if acts[act].isEnabled() else acts["remove"]
        wanted.setFocus()

    # ---- what is done

    def _open(self, place: QVBoxLayout, ref: Ref, then: Callable[[str, str], None]) -> None:
        self._close()
        if self._data is None:
            return
        rows = [
            row for row in self._data.providers.providers if set_up(row) or row.kind in ("builtin", "local")
        ]
        chooser = self._chooser = Chooser(self._actions, sorted(rows, key=lambda row: not set_up(row)))
        chooser.chosen.connect(then)
        chooser.left.connect(self._close)
        place.addWidget(chooser)
        chooser.put(ref)
        chooser.show()
        chooser.setFocus()

    def _close(self) -> None:
        chooser, self._chooser = self._chooser, None
        if chooser is not None:
            chooser.hide()
            chooser.deleteLater()

    def _choose(self, name: str) -> None:
        def then(model: str, provider: str) -> None:
            self._close()
            self.purposes[name].change.setFocus()
            self._save(self._values(name, model, provider))

        self._open(self.purposes[name].below, self._ref(name), then)

    def _choose_spare(self) -> None:
        def then(model: str, provider: str) -> None:
            self._close()
            self.add.setFocus()
            self._save_spares([*self._refs, (model, provider)])

        self._open(self._adding, ("", ""), then)

    def _values(self, name: str, model: str, provider: str) -> dict[str, Any]:
        if name == _USUAL:
            return {f"{_HERE}.model": model, f"{_HERE}.provider": provider}
        return {f"{_HERE}.{name}": {"model": model, "provider": provider}}

    def _clear(self, name: str) -> None:
        self.purposes[name].change.setFocus()
        self._save(self._values(name, "", "auto") if name == _USUAL else {f"{_HERE}.{name}": None})

    def _act(self, place: int, what: str, *_: object) -> None:
        refs = self._refs
        ref = refs.pop(place)
        to = {"up": place - 1, "down": place + 1}.get(what)
        if to is not None:
            refs.insert(to, ref)
        self._wanted = (place if to is None else to, what)
        self._save_spares(refs)

    def _save_spares(self, refs: Sequence[Ref]) -> None:
        value = [{"model": model, "provider": provider} for model, provider in dict.fromkeys(refs)]
        self._save({f"{_HERE}.fallback_models": value})

    def _save(self, values: dict[str, Any]) -> None:
        self._work.tell(self._saving(values), self.outcome, name="settings:purposes")

    async def _saving(self, values: dict[str, Any]) -> None:
        self.outcome.clear()
        await self._actions.api.settings.change(values)
        self.saved.emit(_HERE)
