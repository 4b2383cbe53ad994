"""The commands of the memory: show, search, log, diff, restore, dream and forget."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from desktop.cli import options
from desktop.cli.output import block, emit, hint, say, table
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.paths import Home
from desktop.session.model import moment_of
from desktop.text import _, ngettext

if TYPE_CHECKING:
    from desktop.api.memory import Memory

_NAMES = ["USER", "SOUL", "MEMORY", "AGENTS"]


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("memory", help=_("Memory: what the agent knows, and where it learned it."))
    app.add_command(group)
    _register_reading(group)

    @options.verb(group, "restore", _("Restore memory to a version by its ID from memory log."))
    @click.argument("version")
    @click.option("--file", default="", help=_("Only this file, as named in memory log."))
    def restore_command(version: str, file: str, *, as_json: bool) -> None:
        run(lambda home: _restore(home, version, file, as_json), as_json=as_json)

    @options.verb(group, "dream", _("Run Dream now: save what is worth remembering."))
    def dream_command(*, as_json: bool) -> None:
        run(lambda home: _dream(home, as_json), as_json=as_json)

    @options.verb(group, "forget", _("Permanently remove a fact from memory."))
    @click.argument("name", type=click.Choice(_NAMES, case_sensitive=False))
    @click.argument("fact", nargs=-1, required=True)
    def forget_command(name: str, fact: tuple[str, ...], *, as_json: bool) -> None:
        run(lambda home: _forget(home, name.upper(), " ".join(fact), as_json), as_json=as_json)


def _register_reading(group: click.Group) -> None:
    @options.verb(group, "show", _("Show what the agent knows, and where it learned it."))
    @click.argument("name", default="", type=click.Choice(["", *_NAMES], case_sensitive=False))
    def show_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _show(home, name.upper(), as_json), as_json=as_json)

    @options.verb(group, "search", _("Search summaries and messages."))
    @click.argument("query", nargs=-1, required=True)
    @click.option("--since", default="", help=_("Not before this day (2026-03-01) or month (2026-03)."))
    @click.option("--until", default="", help=_("Not after this day or month."))
    @click.option("--limit", default=20, type=click.IntRange(1, 1000), help=_("Maximum number."))
    def search_command(
        query: tuple[str, ...], since: str, until: str, limit: int, *, as_json: bool
    ) -> None:
        words = " ".join(query)
        run(lambda home: _search(home, words, since, until, limit, as_json), as_json=as_json)

    @options.verb(group, "log", _("List the versions of memory, newest first."))
    @click.option("--limit", default=20, type=click.IntRange(1, 1000), help=_("Maximum number."))
    def log_command(limit: int, *, as_json: bool) -> None:
        run(lambda home: _log(home, limit, as_json), as_json=as_json)

    @options.verb(
        group, "diff", _("Show the changes of a version, between two versions, or since the last version.")
    )
    @click.argument("a", default="")
    @click.argument("b", default="")
    def diff_command(a: str, b: str, *, as_json: bool) -> None:
        run(lambda home: _diff(home, a, b, as_json), as_json=as_json)


@asynccontextmanager
async def _memory(home: Home, *, eager: bool = False) -> AsyncIterator["Memory"]:
    async with connect(home, "memory", eager=eager) as api:
        yield api.memory


async def _show(home: Home, name: str, as_json: bool) -> None:
    async with _memory(home) as memory:
        found = await memory.known()
    files = [file for file in found.files if name in ("", file.name)]
    if as_json:
        emit(asdict(replace(found, files=tuple(files))))
        return
    for file in files:
        say(f"{file.name}  {file.path}")
        if file.problem:
            hint(file.problem)
            hint(file.remedy)
        for fact in file.facts:
            source = ", ".join(filter(None, (_when(fact.when)[:10], fact.title or fact.session)))
            say(f"  - {fact.text}" + (f"  ({source})" if source else ""))
        say()
    if n := found.waiting:
        say(
            ngettext("{n} summary is waiting for Dream.", "{n} summaries are waiting for Dream.", n).format(
                n=n
            )
        )
    if n := found.staged:
        say(ngettext("{n} change needs your decision.", "{n} changes need your decision.", n).format(n=n))


async def _search(home: Home, query: str, since: str, until: str, limit: int, as_json: bool) -> None:
    async with _memory(home) as memory:
        hits = await memory.search(query, since, until, limit)
    for hit in hits:
        if as_json:
            emit({name: value for name, value in asdict(hit).items() if value is not None})
        else:
            say(f"{_when(hit.at)}  {hit.title or hit.session}")
            block(hit.text, indent="  ")
    if not hits and not as_json:
        say(_("No results"))


async def _log(home: Home, limit: int, as_json: bool) -> None:
    async with _memory(home) as memory:
        versions = await memory.log(limit)
    if as_json:
        for version in versions:
            emit(asdict(version))
        return
    from desktop.api.memory_commands import CAUSES

    table(
        [_("Version"), _("When"), _("By"), _("Details"), _("Files")],
        [[v.id[:8], _when(v.at), _(CAUSES[v.cause]), v.message, ", ".join(v.files)] for v in versions],
    )


async def _diff(home: Home, a: str, b: str, as_json: bool) -> None:
    async with _memory(home) as memory:
        files = await memory.diff(a, b)
    if as_json:
        for file in files:
            emit(asdict(file))
        return
    for file in files:
        block(file.diff or _("{name} differs, but is too long to compare.").format(name=file.name))
    if not files:
        say(_("No differences."))


async def _restore(home: Home, version: str, file: str, as_json: bool) -> None:
    async with _memory(home) as memory:
        commit = await memory.restore(version, file)
    if as_json:
        emit({"commit": commit})
    elif commit:
        say(_("Restored. This is version {id}.").format(id=commit[:8]))
    else:
        say(_("Memory is already at this version."))


async def _dream(home: Home, as_json: bool) -> None:
    from desktop.api.memory import DreamPhase
    from desktop.api.memory_commands import said

    async with _memory(home, eager=True) as memory:
        async for event in memory.dream():
            if isinstance(event, DreamPhase):
                if as_json:
                    emit({"event": "dream", "phase": event.phase})
            elif as_json:
                emit(asdict(event))
            else:
                for sentence in said(event):
                    say(sentence)


async def _forget(home: Home, name: str, fact: str, as_json: bool) -> None:
    async with _memory(home) as memory:
        commit = await memory.forget(name, fact)
    if as_json:
        emit({"commit": commit})
    else:
        say(_("Forgotten. Restore it with: nanobot-desktop memory restore VERSION"))


def _when(at: str) -> str:
    moment = moment_of(at)
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else at
