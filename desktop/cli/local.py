"""local list, setup and stop: the built-in model, and model servers found on this machine."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, passing, say, table
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _

if TYPE_CHECKING:
    from desktop.providers.discover import Found


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("local", help=_("The built-in model and local model servers."))
    app.add_command(group)

    @options.verb(group, "list", _("List built-in models and the model servers found on this computer."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(
        group,
        "setup",
        _("Download a built-in model by its name from local list, or use your own GGUF file by its path."),
    )
    @click.argument("model", default="")
    @click.option("--use", is_flag=True, help=_("Use it for answers."))
    def setup_command(model: str, use: bool, *, as_json: bool) -> None:
        run(lambda home: _setup(home, model, use, as_json), as_json=as_json)

    @options.verb(group, "stop", _("Stop the built-in model’s server."))
    def stop_command(*, as_json: bool) -> None:
        run(lambda home: _stop(home, as_json), as_json=as_json)


async def _list(home: Home, as_json: bool) -> None:
    from desktop.cli.files import settings
    from desktop.providers import discover
    from desktop.providers.catalogue import CATALOGUE
    from desktop.providers.local import better_words, chosen, installed, offered

    store = await settings(home)
    here = (await installed(home.models)).models
    selected = chosen(store.config.local.model, home.models)
    better = offered(selected, home.models)
    models: list[dict[str, Any]] = [
        {
            "id": model.id,
            "name": model.name,
            "licence": model.licence,
            "size": model.size,
            "does": _(model.does),
            "installed": model in here,
            "selected": model == selected,
            "better": model == better,
        }
        for model in CATALOGUE
    ]
    found = [_found(server) for server in await discover.servers()]
    if as_json:
        emit({"models": models, "servers": found})
        return
    table(
        [_("Built-in model"), _("License"), _("Size"), _("Good for"), ""],
        [[m["id"], m["licence"], f"{m['size'] / 1e6:.0f} MB", m["does"], _mark(m)] for m in models],
    )
    if selected.own:
        say(_("Using your own file: {path}").format(path=selected.file))
    if better:
        say(better_words(better))
        say(
            _("Download it with: {command}").format(
                command=f"nanobot-desktop local setup {better.id} --use"
            )
        )
    say(CATALOGUE[0].note)
    say()
    _say_servers(found)


def _found(server: "Found") -> dict[str, Any]:
    return {
        "kind": server.name,
        "provider": server.provider,
        "base": server.base_url,
        "models": list(server.models),
    }


def _say_servers(found: list[dict[str, Any]]) -> None:
    for server in found:
        say(
            _("Found {kind} at {base} with: {models}").format(
                **server | {"models": ", ".join(server["models"])}
            )
        )
        say(_("Use it with: {command}").format(command=_how_to_use(server)))
    if not found:
        say(_("No other model servers found on this computer."))


def _mark(model: dict[str, Any]) -> str:
    words = (
        [_("installed")]
        if model["installed"]
        else [_("better for this computer")]
        if model["better"]
        else []
    )
    return ", ".join(words + ([_("selected")] if model["selected"] else []))


def _how_to_use(server: dict[str, Any]) -> str:
    model = server["models"][0] if server["models"] else "MODEL"
    options = f"--no-key --base {server['base']} --model {model}"
    return f"nanobot-desktop provider set {server['provider']} {options}"


async def _setup(home: Home, model: str, use: bool, as_json: bool) -> None:
    from desktop.api.local import Fetched, Installed, Suits

    bar = _Progress()
    async with connect(home, "local") as api:
        async for step in api.local.setup(model, use=use):
            match step:
                case Suits(text):
                    emit({"event": "suits", "text": text}) if as_json else hint(text)
                case Fetched() if as_json:
                    emit({"event": "progress", **asdict(step)})
                case Fetched(what, done, total):
                    bar.show(what, done, total)
                case Installed(name):
                    emit(asdict(step)) if as_json else say(_("{model} is ready.").format(model=name))


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
    async with connect(home, "local") as api:
        was = await api.local.stop()
    if as_json:
        emit({"was": was})
    elif was == "off":
        say(_("It wasn’t running."))
    else:
        say(_("Stopped."))
