"""Runs attempts in the private network and prints a JSON line for each.

python -m tests.redteam [--fast] [--ordinary] [--only WORDS]
"""

import argparse
import json
import os
import tempfile
import time
import traceback
from pathlib import Path

from tests.redteam.network import ORDINARY, Outside, enter, open_python, open_tun


def main() -> None:
    """Make the network, become whom the program is to run as, try."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument(
        "--ordinary", action="store_true", help="as an ordinary account, where this is root"
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--everyday", action="store_true", help="ordinary turns instead of attempts")
    wanted = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="redteam-"))
    folder.chmod(0o755)
    root = os.getuid() == 0
    enter()
    outside = Outside()
    if root and wanted.ordinary:
        open_python(folder)
        open_tun()
    outside.start()
    place = folder / "place"
    place.mkdir()
    if root and wanted.ordinary:
        os.chown(place, ORDINARY, ORDINARY)
        os.setgroups([])
        os.setgid(ORDINARY)
        os.setuid(ORDINARY)
    raise SystemExit(_try(place, outside, wanted))


def _try(place: Path, outside: Outside, wanted: argparse.Namespace) -> int:
    """Every wanted attempt; how many did not hold."""
    from tests.redteam import everyday
    from tests.redteam.lab import Lab
    from tests.redteam.table import ATTEMPTS
    from tests.servers.scripted import ScriptedServer

    os.environ["HOME"] = str(place)
    bad = 0
    chosen = [a for a in ATTEMPTS if (a.fast or not wanted.fast) and wanted.only in f"{a.kind} {a.id}"]
    with ScriptedServer() as server:
        if wanted.everyday:
            lab = Lab(place / "day", outside, server)
            lab.prepare()
            with lab.serving():
                everyday.run(lab, lambda line: print(line, flush=True))
            return 0
        for home in dict.fromkeys(one.home for one in chosen):
            mine = [one for one in chosen if home == one.home]
            lab = Lab(place / f"{len(os.listdir(place))}", outside, server)
            lab.prepare()
            with lab.serving():
                for one in mine:
                    bad += _one(lab, one)
    return min(bad, 100)


def _one(lab: object, one: object) -> bool:
    begun, failure = time.monotonic(), ""
    try:
        outcome = one.run(lab)  # type: ignore[attr-defined]
        effect, twin, note = outcome.effect, outcome.twin, outcome.note
    except Exception:
        effect, twin, note, failure = True, False, "", traceback.format_exc()
    row = {
        "id": one.id,  # type: ignore[attr-defined]
        "kind": one.kind,  # type: ignore[attr-defined]
        "advisory": one.advisory,  # type: ignore[attr-defined]
        "effect": effect,
        "twin": twin,
        "note": note,
        "failure": failure,
        "seconds": round(time.monotonic() - begun, 2),
    }
    print(json.dumps(row), flush=True)
    return effect or not twin


if __name__ == "__main__":
    main()
