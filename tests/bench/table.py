"""One line a figure: what, ours, the peer's, the budget, and whether it holds."""

import statistics
from collections.abc import Sequence


def middle(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


class Table:
    """Prints figures as they come."""

    def __init__(self) -> None:
        self._headed = False

    def line(
        self, what: str, ours: str, peer: str = "", budget: str = "", holds: bool | None = None
    ) -> None:
        """One figure. `holds`: None where there is no budget."""
        if not self._headed:
            self._print("figure", "ours", "peer", "budget", "")
            self._headed = True
        verdict = "" if holds is None else "holds" if holds else "MISSED"
        self._print(what, ours, peer, budget, verdict)

    @staticmethod
    def _print(what: str, ours: str, peer: str, budget: str, verdict: str) -> None:
        print(f"{what:44} {ours:>12} {peer:>24} {budget:>22} {verdict}", flush=True)
