"""provider list, set and test: which models can be asked, with which key."""

from typing import Annotated, Any

import typer

from desktop.cli import options
from desktop.cli.output import emit, say, table
from desktop.cli.prompt import Lines
from desktop.cli.reach import reach, result
from desktop.cli.run import run
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.text import _


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    group = typer.Typer(help=_("Providers of models and their keys."), rich_markup_mode=None)
    app.add_typer(group, name="provider")

    @group.command("list", help=_("List the providers, and which have a key."))
    def list_command(
        as_json: Annotated[bool, options.as_json()] = False,
        verbose: Annotated[bool, options.verbose()] = False,
    ) -> None:
        del verbose
        run(lambda home: _list(home, as_json), as_json=as_json)

    @group.command(
        "set", help=_("Use a provider. Its key is asked for, or read from standard input; never an option.")
    )
    def set_command(
        name: Annotated[str, typer.Argument(help=_("The provider, as provider list shows it."))],
        model: Annotated[str, typer.Option(help=_("The model to ask."))] = "",
        base: Annotated[str, typer.Option(help=_("The address of the server."))] = "",
        engine: Annotated[str, typer.Option(help=_("auto, openai or litellm: how it is spoken to."))] = "",
        session_only: Annotated[
            bool, typer.Option(help=_("Keep the key only in the Nanobot that runs now."))
        ] = False,
        no_key: Annotated[bool, typer.Option(help=_("Ask for no key."))] = False,
        as_json: Annotated[bool, options.as_json()] = False,
        verbose: Annotated[bool, options.verbose()] = False,
    ) -> None:
        del verbose
        values = {
            "name": name,
            "model": model,
            "base": base,
            "engine": engine,
            "session_only": session_only,
        }
        run(lambda home: _set(home, values, not no_key, as_json), as_json=as_json)

    @group.command("test", help=_("Ask a provider one tiny question."))
    def test_command(
        name: Annotated[str, typer.Argument(help=_("The provider; empty for the one in use."))] = "",
        model: Annotated[str, typer.Option(help=_("The model to ask."))] = "",
        as_json: Annotated[bool, options.as_json()] = False,
        verbose: Annotated[bool, options.verbose()] = False,
    ) -> None:
        del verbose
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
            "display": spec.display,
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
        values["key"] = (await lines.secret(_("Key for {name}: ").format(name=spec.display))).strip()
    async with reach(home, "provider") as verb:
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
