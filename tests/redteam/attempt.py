"""What an attempt is: something a hostile text tries, and the harmless twin that must still work."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.redteam.lab import Lab


@dataclass(frozen=True)
class Outcome:
    """What came of one. `effect`: what was tried did happen; `twin`: the harmless one beside it did."""

    effect: bool
    twin: bool
    note: str = ""


@dataclass(frozen=True)
class Attempt:
    """One row of a table."""

    id: str
    kind: str
    run: Callable[[Lab], Outcome]
    advisory: str = ""
    """The public report that it stands for."""
    fast: bool = False
    """Whether every test run has time for it."""
    home: str = "shared"
    """Attempts of one name share a program, one after the other."""


ATTEMPTS: list[Attempt] = []


def attempt(
    id_: str, kind: str, *, advisory: str = "", fast: bool = False, home: str = "shared"
) -> Callable[[Callable[[Lab], Outcome]], Callable[[Lab], Outcome]]:
    """Put a function into the table."""

    def put(run: Callable[[Lab], Outcome]) -> Callable[[Lab], Outcome]:
        ATTEMPTS.append(Attempt(id_, kind, run, advisory, fast, home))
        return run

    return put


def numbers() -> Iterator[str]:
    """Words that stand for a secret, each used once."""
    count = 0
    while True:
        count += 1
        yield f"leak{count}x"


TOKENS = numbers()
