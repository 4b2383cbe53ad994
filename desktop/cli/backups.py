"""backup and restore: one file of everything but secrets, and merging it back."""

from dataclasses import asdict
from pathlib import Path

import click

from desktop.api import backup_words
from desktop.cli import options
from desktop.cli.output import emit, hint, say
from desktop.cli.progress import Progress
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _, ngettext


def register(app: click.Group) -> None:
    """Add the commands to the command line."""

    @options.verb(app, "backup", _("Back up everything except secrets to one file."))
    @click.argument("file", required=False)
    @click.option("--list", "listed", is_flag=True, help=_("List automatic backups."))
    def backup_command(file: str | None, listed: bool, *, as_json: bool) -> None:
        path = str(Path(file or ".").expanduser().absolute())
        run(lambda home: _list(home, as_json) if listed else _backup(home, path, as_json), as_json=as_json)

    @options.verb(app, "restore", _("Restore a backup: adds what is missing and keeps what is newer here."))
    @click.argument("file")
    def restore_command(file: str, *, as_json: bool) -> None:
        path = str(Path(file).expanduser().absolute())
        run(lambda home: _restore(home, path, as_json), as_json=as_json)


def _progress() -> Progress:
    return Progress({"pack": _("Backing up"), "check": _("Checking the backup"), "merge": _("Restoring")})


async def _backup(home: Home, path: str, as_json: bool) -> None:
    async with connect(home, "backup") as api:
        made = await _progress().follow(api.backups.make(path))
    if as_json:
        emit(asdict(made))
        return
    files = ngettext("{n} file", "{n} files", made.files).format(n=made.files)
    told = _("{path}: {files}, {size}.")
    say(told.format(path=made.path, files=files, size=backup_words.size(made.size)))
    hint(_("Keys are not included; they stay in the keychain."), dim=True)


async def _list(home: Home, as_json: bool) -> None:
    async with connect(home, "backup") as api:
        found = (await api.backups.known()).backups
    for backup in found:
        if as_json:
            emit(asdict(backup))
        else:
            say(f"{backup.path}  {backup_words.about(backup)}")
    if not found and not as_json:
        say(_("No backups yet."))


async def _restore(home: Home, path: str, as_json: bool) -> None:
    async with connect(home, "backup") as api:
        end = await _progress().follow(api.backups.restore(path))
    for item in end.items:
        if as_json:
            emit(asdict(item))
        elif item.action != "same":
            say(backup_words.line(item, backup_words.actions()))
    if as_json:
        emit({"counts": end.counts, "saved": end.saved, "made": end.made})
        return
    say()
    say(backup_words.summary(end.counts))
    if end.saved:
        hint(_("Your previous data is backed up in {path}.").format(path=end.saved), dim=True)
