"""onboard: a provider, its key, a real test, a name. Every step can be skipped with Enter."""

from typing import TYPE_CHECKING

import click

from desktop.cli import options
from desktop.cli.output import complain, emit, say
from desktop.cli.prompt import Lines
from desktop.cli.provider import say_answered
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import AppError, KeychainError
from desktop.paths import Home
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.client import Api
    from desktop.providers.discover import Found
    from desktop.providers.registry_spec import ProviderSpec


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "onboard", _("Set up a provider, its key and a name, step by step."))
    def onboard_command(*, as_json: bool) -> None:
        run(lambda home: _onboard(home, as_json), as_json=as_json)


async def _onboard(home: Home, as_json: bool) -> int:
    lines = Lines()
    async with connect(home, "onboard") as api:
        say(_("Welcome. Press Enter to skip any step."))
        spec, server = await _provider(lines)
        ok = await _use(lines, api, spec, server) if spec else True
        name = await _ask(lines, _("Name of the assistant? [Nanobot] "))
        if name:
            await api.settings.change({"agents.defaults.botName": name})
        found = await api.setup.readiness()
        if not spec and found.builtin_installed:
            say(_("The small built-in model answers until you set up a provider."))
        elif not spec and not found.ready:
            say(_("No model can answer yet: you chose none, and the built-in one is not downloaded."))
            say(_("Download it with: {command}").format(command="nanobot-desktop local setup"))
        if found.ready:
            say(_('All set. Try: nanobot-desktop ask "What can you do?"'))
        if as_json:
            emit({"provider": spec.name if spec else "builtin", "tested": ok, "name": name})
    return 0 if ok else 1


async def _provider(lines: Lines) -> "tuple[ProviderSpec | None, Found | None]":
    """A provider of the table, or a server found on this machine; neither means the built-in model."""
    from desktop.providers import discover
    from desktop.providers.registry import find
    from desktop.providers.registry_table import PROVIDERS

    say(_("Choose your model"))
    found = [(find(server.provider), server) for server in await discover.servers()]
    rows: list[tuple[ProviderSpec, Found | None]] = [(spec, server) for spec, server in found if spec]
    rows += [(spec, None) for spec in PROVIDERS if not spec.oauth]
    for number, (spec, server) in enumerate(rows, start=1):
        here = _("{name}, running on this computer").format(name=server.name) if server else ""
        say(f"  {number:2}  {here or _(spec.display)}")
    while answer := await _ask(lines, _("Number or name [built-in model]: ")):
        if answer.isdigit() and 1 <= int(answer) <= len(rows):
            return rows[int(answer) - 1]
        if named := find(answer):
            return named, None
        say(_("There is no provider named {name}.").format(name=answer))
    return None, None


async def _use(lines: Lines, api: "Api", spec: "ProviderSpec", server: "Found | None") -> bool:
    from desktop.api.providers import Draft

    base = key = ""
    suggestion = spec.suggestion
    if server:
        base = server.base_url
        suggestion = server.models[0] if server.models else ""
    elif not spec.base or spec.local:
        base = await _ask(lines, _("Server address [{base}]: ").format(base=spec.base))
    if not spec.local and not server:
        if spec.key_page:
            say(_("Get a key at {page}").format(page=spec.key_page))
        key = (await lines.secret(_("Key for {name}: ").format(name=_(spec.display)))).strip()
    model = await _ask(lines, _("Model [{model}]: ").format(model=suggestion)) or suggestion
    try:
        await api.providers.use(Draft(spec.name, model, key, base))
    except KeychainError as error:
        complain(error)
        return False
    return await _test(api)


async def _test(api: "Api") -> bool:
    say(_("Sending a short test question…"))
    try:
        done = await api.providers.test()
    except AppError as error:
        complain(error)
        return False
    say_answered(done)
    return True


async def _ask(lines: Lines, prompt: str) -> str:
    if not lines.interactive:
        say(prompt)
    return (await lines.next(prompt) or "").strip()
