"""What a long run prints as it goes, and what it keeps of what was not as it should be."""

import time
from collections.abc import Callable
from typing import Any

_PATIENCE_S = 180.0


class Noting:
    """Steps that are timed; what one finds wrong is noted, and the next one tried all the same."""

    def __init__(self) -> None:
        self.lost: list[str] = []

    def _say(self, text: str) -> None:
        print(f"       {text}", flush=True)

    def _timed(self, what: str, step: Callable[[], Any]) -> Any:
        began = time.monotonic()
        try:
            return step()
        except Exception as error:
            self.lost.append(f"{what}: {error!r}"[:2000])
            return None
        finally:
            print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)

    def _expect(self, good: object, what: str, found: object = "") -> None:
        print(f"       {'ok  ' if good else 'NOT '} {what}", flush=True)
        if not good:
            self.lost.append(f"{what}: {found}"[:2000])

    def _until(self, true: Callable[[], object], what: str) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not true():
            assert time.monotonic() < end, f"not in {_PATIENCE_S:.0f} s: {what}"
            time.sleep(0.2)
