"""doctor and status: what works, what does not, and what to do about it."""

import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from desktop.api.client import Api
from desktop.api.remote import Remote
from desktop.cli import options
from desktop.cli.output import emit, say, table
from desktop.cli.run import run
from desktop.errors import ConfigError
from desktop.ipc.connection import NoOwnerError
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.program import Running


def register(app: click.Group) -> None:
    """Add the commands to the command line."""

    @options.verb(app, "doctor", _("Check every part and say how to fix what isn’t working."))
    @click.option("--fix", is_flag=True, help=_("Repair damage first, and report what was done."))
    def doctor_command(fix: bool, *, as_json: bool) -> None:
        run(lambda home: _doctor(home, as_json, fix=fix), as_json=as_json)

    @options.verb(app, "status", _("Show what is running and today’s usage."))
    def status_command(*, as_json: bool) -> None:
        run(lambda home: _status(home, as_json), as_json=as_json)


async def _fix(home: Home, as_json: bool) -> bool:
    """Repair what is damaged; whether all of it was."""
    from desktop.cli.reach import connect

    async with connect(home, "doctor") as api:
        end = await api.recovery.mend(deep=True)
    for key, sign, sentences in (("mended", "✓", end.done), ("not_mended", "✗", end.failed)):
        for sentence in sentences:
            if as_json:
                emit({key: sentence})
            else:
                say(f"{sign} {sentence}")
    if not (end.done or end.failed) and not as_json:
        say(_("Nothing is damaged."))
    return not end.failed


async def _doctor(home: Home, as_json: bool, *, fix: bool) -> int:
    from desktop.cli.files import up_to_date
    from desktop.doctor import examine
    from desktop.tools.permissions.links import judged_workspace

    mended = await _fix(home, as_json) if fix else True
    await up_to_date(home)
    findings = await examine(home, judged_workspace)
    for finding in findings:
        if as_json:
            emit({"part": finding.part, "ok": finding.ok, "state": finding.state, "remedy": finding.remedy})
        else:
            say(f"{'✓' if finding.ok else '✗'} {finding.part}: {finding.state}")
            if finding.remedy:
                say(f"    {finding.remedy}")
    return 0 if mended and all(finding.ok for finding in findings) else 1


async def _status(home: Home, as_json: bool) -> None:
    from desktop.cli.files import settings
    from desktop.providers.registry import choose

    store = await settings(home)
    wrong, provider, model, title = "", "", "", ""
    try:
        chosen = choose(store.config, store.keyed)
        provider, model, title = chosen.spec.name, chosen.model, _(chosen.spec.display)
    except ConfigError as error:
        wrong = str(error)
    owner: Running | None = None
    with suppress(NoOwnerError):
        owner = await Api(Remote(home)).program.status()
    used = await _used_today(home)
    if as_json:
        emit(
            {
                "running": asdict(owner) if owner else None,
                "provider": provider,
                "model": model,
                "wrong": wrong,
                "today": used,
            }
        )
        return
    _say_running(owner)
    answers = _("{provider} answers with {model}.")
    say(wrong or answers.format(provider=title, model=model or _("built-in")))
    table(
        [_("Today"), _("Model"), _("Calls"), _("Input tokens"), _("Output tokens"), _("Cost")],
        [
            [
                row["provider"],
                row["model"],
                str(row["calls"]),
                str(row["input_tokens"]),
                str(row["output_tokens"]),
                _("unknown") if row["cost"] is None else f"${row['cost']:.4f}",
            ]
            for row in used
        ],
        _("No calls to a model today."),
    )


def _say_running(owner: "Running | None") -> None:
    if owner:
        say(
            _("Running since {when}, process {pid} ({front}).").format(
                when=time.strftime("%H:%M", time.localtime(owner.started)),
                pid=owner.pid,
                front=owner.front,
            )
        )
        for service in owner.services:
            say(f"  {service.name}: {service.state}  {service.detail}".rstrip())
    else:
        say(_("Not running."))


async def _used_today(home: Home) -> list[dict[str, Any]]:
    from desktop.bus.bus import Bus
    from desktop.cli.files import up_to_date
    from desktop.database.database import Database
    from desktop.usage import UsageLedger, midnight

    if not await in_thread(home.database.exists):
        return []
    await up_to_date(home)
    database = Database(home.database, mend=False)
    await database.open()
    try:
        return [asdict(total) for total in await UsageLedger(database, Bus()).since(midnight())]
    finally:
        await database.close()
