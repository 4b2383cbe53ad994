"""import: what nanobot had, taken over from its home; with --dry-run only the list of what would be."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, say
from desktop.cli.progress import Progress
from desktop.cli.reach import reach
from desktop.cli.run import run
from desktop.core import import_words
from desktop.paths import Home
from desktop.text import _

type Json = dict[str, Any]


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "import", _("Take over a nanobot home: settings, conversations, memory and more."))
    @click.argument("path")
    @click.option("--dry-run", is_flag=True, help=_("Only show what would be taken, changed and left."))
    @click.option(
        "--scrub", is_flag=True, help=_("Take keys out of the old settings once the keychain has them.")
    )
    def import_command(path: str, dry_run: bool, scrub: bool, *, as_json: bool) -> None:
        verb = "import_plan" if dry_run else "import_run"
        given: Json = {"path": str(Path(path).expanduser().absolute()), "scrub": scrub}
        run(lambda home: _import(home, verb, given, as_json), as_json=as_json)


async def _import(home: Home, what: str, given: Json, as_json: bool) -> int:
    failed: list[Json] = []
    end: Json = {}
    progress = Progress({"read": _("Reading the old home"), "take": _("Importing")})
    async with reach(home, "import") as verb:
        async for line in verb(what, given):
            if line.get("event") == "progress":
                progress.show(line["what"], line["done"], line["total"])
            elif line.get("event") == "items":
                progress.clear()
                _show(line["items"], as_json)
                failed += [item for item in line["items"] if item["action"] == "failed"]
            elif "result" in line:
                end = line["result"]
    progress.clear()
    if as_json:
        emit({"counts": end["counts"], "warnings": end["warnings"]})
    else:
        say()
        say(import_words.summary(end["counts"], done=what == "import_run"))
        for warning in end["warnings"]:
            hint(warning)
    if not failed:
        return 0
    hint(" ".join(import_words.failures(len(failed))))
    return 1


def _show(items: Sequence[Json], as_json: bool) -> None:
    for item in items:
        if as_json:
            emit(item)
        elif item["action"] != "same" or item["note"]:
            say(_line(item))


def _line(item: Json) -> str:
    what = " ".join(item["name"].split())
    many = f" ({import_words.many(item)})" if item["count"] else ""
    note = f": {item['note']}" if item["note"] else ""
    kind, action = import_words.kinds()[item["kind"]], import_words.actions()[item["action"]]
    return f"{kind}  {what}{many}  {action}{note}"
