"""provider list, set, models, test, login and logout: which models can be asked, and with what."""

import os
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from desktop.cli import options
from desktop.cli.output import emit, say, table
from desktop.cli.prompt import Lines
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import AppError, ConfigError, UsageError
from desktop.paths import Home
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.providers import Answered


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("provider", help=_("Model providers and their keys."))
    app.add_command(group)

    @options.verb(group, "list", _("List providers, and which have a key."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(
        group,
        "set",
        _("Use a provider. Asks for the key or reads it from standard input; it is never an option."),
    )
    @click.argument("name")
    @click.option("--model", default="", help=_("Model to use."))
    @click.option("--base", default="", help=_("Server address."))
    @click.option(
        "--engine",
        type=click.Choice(["auto", "openai", "litellm"]),
        default=None,
        help=_("The API the server speaks."),
    )
    @click.option("--session-only", is_flag=True, help=_("Keep the key only in the running Nanobot."))
    @click.option("--no-key", is_flag=True, help=_("Don’t ask for a key."))
    def set_command(no_key: bool, *, as_json: bool, **values: Any) -> None:
        run(lambda home: _set(home, values, not no_key, as_json), as_json=as_json)

    @options.verb(group, "test", _("Send a short test question to a provider, or to the one in use."))
    @click.argument("name", default="")
    @click.option("--model", default="", help=_("Model to use."))
    def test_command(name: str, model: str, *, as_json: bool) -> None:
        run(lambda home: _test(home, name, model, as_json), as_json=as_json)

    @options.verb(group, "models", _("List the models a provider offers now."))
    @click.argument("name")
    @click.option("--find", default="", help=_("Only names that contain these words."))
    def models_command(name: str, find: str, *, as_json: bool) -> None:
        run(lambda home: _models(home, name, find, as_json), as_json=as_json)

    _register_logins(group)


def _register_logins(group: click.Group) -> None:
    @options.verb(
        group,
        "login",
        _("Sign in with a code to a provider that has no keys (github_copilot, openai_codex)."),
    )
    @click.argument("name")
    def login_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _login(home, name, as_json), as_json=as_json)

    @options.verb(group, "logout", _("Sign out of a provider."))
    @click.argument("name")
    def logout_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _logout(home, name, as_json), as_json=as_json)


async def _models(home: Home, name: str, find: str, as_json: bool) -> None:
    from desktop.api.providers import Draft

    async with connect(home, "provider", eager=True) as api:
        listed = await api.providers.models(Draft(name))
    wanted = find.casefold().split()
    for model in listed:
        if all(word in model.name.casefold() for word in wanted):
            emit({"model": model.name, "window": model.window}) if as_json else say(model.name)


async def _login(home: Home, name: str, as_json: bool) -> None:
    from desktop.api.providers import LoginCode, SignedIn

    async with connect(home, "provider") as api:
        async for step in api.providers.login(name):
            match step:
                case LoginCode() if as_json:
                    emit({"event": "code", **asdict(step)})
                case LoginCode(user_code, page):
                    say(
                        _("Open {page} and enter the code {user_code}.").format(
                            page=page, user_code=user_code
                        )
                    )
                    say(
                        _(
                            "Waiting for you to enter it. Press Ctrl+C to cancel. "
                            "Don’t share this code with anyone."
                        )
                    )
                case SignedIn() if as_json:
                    emit(asdict(step))
                case SignedIn():
                    say(_("You are signed in."))


async def _logout(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "provider") as api:
        provider = await api.providers.logout(name)
    if as_json:
        emit({"provider": provider})
    else:
        say(_("You are signed out."))


async def _list(home: Home, as_json: bool) -> None:
    from desktop.cli.files import settings
    from desktop.providers.registry import choose
    from desktop.providers.registry_table import PROVIDERS

    store = await settings(home)
    in_use = ""
    with suppress(ConfigError):  # the first question will say what is wrong
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
    from desktop.api.providers import Draft
    from desktop.providers.registry import find

    spec, key = find(values["name"]), ""
    if spec is None:
        raise UsageError(
            _("There is no provider named {name}.").format(name=values["name"]),
            _("List the names with: nanobot-desktop provider list"),
        )
    if wants_key and not spec.local:
        lines = Lines()
        key = (await lines.secret(_("Key for {name}: ").format(name=_(spec.display)))).strip()
    draft = Draft(values["name"], values["model"], key, values["base"])
    engine, once = values["engine"] or "", values["session_only"]
    async with connect(home, "provider") as api:
        if once and (await api.program.status()).pid == os.getpid():
            raise AppError(
                _("No Nanobot is running that could keep the key."),
                _("Start one first: nanobot-desktop chat"),
            )
        used = await api.providers.use(draft, engine=engine, session_only=once)
    if as_json:
        emit({"provider": used.name, "model": used.model})
    else:
        words = _("{provider} is in use, with the model {model}.")
        say(words.format(provider=used.name, model=used.model))


async def _test(home: Home, name: str, model: str, as_json: bool) -> None:
    from desktop.api.providers import Draft

    async with connect(home, "provider", eager=True) as api:
        done = await api.providers.test(Draft(name, model))
    if as_json:
        emit(asdict(done))
    else:
        say_answered(done)
        for line in done.learned:
            say(line)


def say_answered(done: "Answered") -> None:
    """What a tiny question came to."""
    told = _("{provider} answered with {model} in {seconds} s: {answer}")
    names = {"provider": done.provider, "model": done.model}
    say(told.format(**names, seconds=done.seconds, answer=done.answer))
