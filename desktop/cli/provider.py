"""provider list, set and test: which models can be asked, with which key."""

import os
from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import emit, say, table
from desktop.cli.prompt import Lines
from desktop.cli.reach import reach, result
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.paths import Home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("provider", help=_("Providers of models and their keys."))
    app.add_command(group)

    @options.verb(group, "list", _("List the providers, and which have a key."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(
        group,
        "set",
        _("Use a provider. Its key is asked for, or read from standard input; it is never an option."),
    )
    @click.argument("name")
    @click.option("--model", default="", help=_("The model to ask."))
    @click.option("--base", default="", help=_("The address of the server."))
    @click.option(
        "--engine",
        type=click.Choice(["auto", "openai", "litellm"]),
        default=None,
        help=_("How the server is spoken to."),
    )
    @click.option("--session-only", is_flag=True, help=_("Keep the key only in the Nanobot that runs now."))
    @click.option("--no-key", is_flag=True, help=_("Ask for no key."))
    def set_command(no_key: bool, *, as_json: bool, **values: Any) -> None:
        run(lambda home: _set(home, values, not no_key, as_json), as_json=as_json)

    @options.verb(group, "test", _("Ask a provider, else the one in use, one tiny question."))
    @click.argument("name", default="")
    @click.option("--model", default="", help=_("The model to ask."))
    def test_command(name: str, model: str, *, as_json: bool) -> None:
        run(lambda home: _test(home, name, model, as_json), as_json=as_json)


async def _list(home: Home, as_json: bool) -> None:
    from desktop.cli.files import settings
    from desktop.providers.registry import choose
    from desktop.providers.registry_table import PROVIDERS

    store = await settings(home)
    in_use = choose(store.config, store.keyed).spec.name
    rows = [
        {
            "name": spec.name,
            "display": _(spec.display),
            "key": spec.name in store.keyed,
            "in_use": spec.name == in_use,
            "key_page": spec.key_page,
        }
        for spec in PROVIDERS
    ]
    if as_json:
        for row in rows:
            emit(row)
        return
    table(
        [_("Provider"), _("Name"), _("Key"), ""],
        [
            [
                str(row["name"]),
                str(row["display"]),
                _("stored") if row["key"] else "",
                _("in use") if row["in_use"] else "",
            ]
            for row in rows
        ],
    )


async def _set(home: Home, values: dict[str, Any], wants_key: bool, as_json: bool) -> None:
    from desktop.providers.registry import find

    spec = find(values["name"])
    if spec is None:
        raise UsageError(
            _("There is no provider called {name}.").format(name=values["name"]),
            _("The names are listed by: nanobot-desktop provider list"),
        )
    if wants_key and not spec.local:
        lines = Lines()
        values["key"] = (await lines.secret(_("Key for {name}: ").format(name=_(spec.display)))).strip()
    async with reach(home, "provider") as verb:
        if values["session_only"] and (await result(verb, "status"))["pid"] == os.getpid():
            raise AppError(
                _("No Nanobot is running that could keep the key."),
                _("Start one first with: nanobot-desktop chat"),
            )
        done = await result(verb, "provider_set", **values)
    if as_json:
        emit(done)
    else:
        say(_("{provider} is in use, with the model {model}.").format(**done))


async def _test(home: Home, name: str, model: str, as_json: bool) -> None:
    async with reach(home, "provider", eager=True) as verb:
        done = await result(verb, "provider_test", name=name, model=model)
    if as_json:
        emit(done)
    else:
        say(_("{provider} answered with {model} in {seconds} s: {answer}").format(**done))
