"""One line a figure: what, ours, the peer's, the budget, and whether it holds."""

import statistics
from collections.abc import Sequence


def middle(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


class Table:
    """Prints figures as they come."""

    def __init__(self, *, headed: bool = False) -> None:
        """`headed`: the head of the table was printed already."""
        self._headed = headed

    def line(
        self, what: str, ours: str, peer: str = "", budget: str = "", holds: bool | None = None
    ) -> None:
        """One figure. `holds`: None where there is no budget."""
        self.head()
        verdict = "" if holds is None else "holds" if holds else "MISSED"
        self._print(what, ours, peer, budget, verdict)

    def head(self) -> None:
        """Print the head of the table, once."""
        if not self._headed:
            self._headed = True
            self._print("figure", "ours", "peer", "budget", "")

    @staticmethod
    def _print(what: str, ours: str, peer: str, budget: str, verdict: str) -> None:
        print(f"{what:44} {ours:>12} {peer:>24} {budget:>22} {verdict}", flush=True)
