"""import: what nanobot had, taken over from its home; with --dry-run only the list of what would be."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from desktop.api import backup_words, import_words
from desktop.cli import options
from desktop.cli.output import emit, hint, say
from desktop.cli.progress import Progress
from desktop.cli.reach import connect, ended
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.imports import Item, Plan


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "import", _("Import a nanobot home: settings, conversations, memory and more."))
    @click.argument("path")
    @click.option(
        "--dry-run", is_flag=True, help=_("Only show what would be imported, changed or left out.")
    )
    @click.option(
        "--scrub", is_flag=True, help=_("Remove keys from the old settings once they are in the keychain.")
    )
    def import_command(path: str, dry_run: bool, scrub: bool, *, as_json: bool) -> None:
        full = str(Path(path).expanduser().absolute())
        run(lambda home: _import(home, full, dry_run, scrub, as_json), as_json=as_json)


async def _import(home: Home, path: str, dry_run: bool, scrub: bool, as_json: bool) -> int:
    from desktop.api.imports import Advanced, Items

    failed, end = 0, None
    progress = Progress({"read": _("Reading the old home"), "take": _("Importing")})
    async with connect(home, "import") as api:
        imports = api.imports
        async for event in imports.plan(path) if dry_run else imports.run(path, scrub=scrub):
            if isinstance(event, Advanced):
                progress.show(event.what, event.done, event.total)
            elif isinstance(event, Items):
                progress.clear()
                _show(event.items, as_json)
                failed += sum(item.action == "failed" for item in event.items)
            else:
                end = event
    progress.clear()
    _tell(ended(end), dry_run, as_json)
    if not failed:
        return 0
    hint(" ".join(import_words.failures(failed)))
    return 1


def _tell(plan: "Plan", dry_run: bool, as_json: bool) -> None:
    counts = plan.counts
    if as_json:
        told = {**counts.actions, "messages": counts.messages, "kinds": counts.kinds}
        emit({"counts": told, "warnings": plan.warnings})
        return
    say()
    say(import_words.summary(counts, done=not dry_run))
    for warning in plan.warnings:
        hint(warning)


def _show(items: "Sequence[Item]", as_json: bool) -> None:
    for item in items:
        if as_json:
            emit({name: value for name, value in asdict(item).items() if name != "title"})
        elif item.action != "same" or item.note:
            say(backup_words.line(item, import_words.actions()))
