"""local list, setup and stop: the built-in model, and model servers found on this machine."""

import sys
from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, passing, say, table
from desktop.cli.reach import reach, result
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("local", help=_("The built-in model and local model servers."))
    app.add_command(group)

    @options.verb(group, "list", _("Show the built-in models and the servers found on this machine."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "setup", _("Bring a built-in model, by its name in local list, and its engine."))
    @click.argument("model", default="")
    @click.option("--use", is_flag=True, help=_("Answer with it from now on."))
    def setup_command(model: str, use: bool, *, as_json: bool) -> None:
        run(lambda home: _setup(home, model, use, as_json), as_json=as_json)

    @options.verb(group, "stop", _("Stop the server of the built-in model."))
    def stop_command(*, as_json: bool) -> None:
        run(lambda home: _stop(home, as_json), as_json=as_json)


async def _list(home: Home, as_json: bool) -> None:
    from desktop.cli.files import settings
    from desktop.providers import discover
    from desktop.providers.local import installed
    from desktop.providers.weights import CATALOGUE

    store = await settings(home)
    here = (await installed(home.models)).models
    models: list[dict[str, Any]] = [
        {
            "id": model.id,
            "name": model.name,
            "licence": model.licence,
            "size": model.size,
            "installed": model in here,
            "selected": model.id == store.config.local.model,
        }
        for model in CATALOGUE
    ]
    found = [
        {
            "kind": server.name,
            "provider": server.provider,
            "base": server.base_url,
            "models": list(server.models),
        }
        for server in await discover.servers()
    ]
    if as_json:
        emit({"models": models, "servers": found})
        return
    table(
        [_("Built-in model"), _("Licence"), _("Size"), ""],
        [[m["id"], m["licence"], f"{m['size'] / 1e6:.0f} MB", _mark(m)] for m in models],
    )
    say(CATALOGUE[0].note)
    say()
    for server in found:
        say(
            _("Found {kind} at {base} with: {models}").format(
                **server | {"models": ", ".join(server["models"])}
            )
        )
        say(_("Use it with: {command}").format(command=_how_to_use(server)))
    if not found:
        say(_("No other model server was found on this machine."))


def _mark(model: dict[str, Any]) -> str:
    words = [_("installed")] if model["installed"] else []
    return ", ".join(words + ([_("selected")] if model["selected"] else []))


def _how_to_use(server: dict[str, Any]) -> str:
    model = server["models"][0] if server["models"] else "MODEL"
    options = f"--no-key --base {server['base']} --model {model}"
    return f"nanobot-desktop provider set {server['provider']} {options}"


async def _setup(home: Home, model: str, use: bool, as_json: bool) -> None:
    bar = _Progress()
    async with reach(home, "local") as verb:
        async for line in verb("local_setup", {"model": model, "use": use}):
            if as_json:
                emit(line.get("result", line))
            elif line.get("event") == "progress":
                bar.show(line["what"], line["done"], line["total"])
            elif "result" in line:
                say(_("{model} is ready.").format(model=line["result"]["model"]))


class _Progress:
    """A line that rewrites itself on a terminal, and a line for each tenth elsewhere."""

    def __init__(self) -> None:
        self._last = ("", -1)

    def show(self, what: str, done: int, total: int) -> None:
        """Take one report; done and total in bytes, total 0 where nobody knows."""
        percent = 100 * done // total if total else 0
        step = percent if sys.stderr.isatty() else percent // 10 * 10
        if (what, step) == self._last:
            return
        self._last = (what, step)
        text = f"{what}  {step} %" if total else what
        if sys.stderr.isatty():
            passing(text, last=percent == 100)
        else:
            hint(text)


async def _stop(home: Home, as_json: bool) -> None:
    async with reach(home, "local") as verb:
        done = await result(verb, "local_stop")
    if as_json:
        emit(done)
    elif done["was"] == "off":
        say(_("It was not running."))
    else:
        say(_("Stopped."))
