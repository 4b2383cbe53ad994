"""channels: the chat apps, switched on and off, tried, their keys, and who may write."""

import math
import time
from dataclasses import asdict

import click

from desktop.api.channels import App
from desktop.cli import link_app, options
from desktop.cli.output import emit, hint, say, table
from desktop.cli.prompt import Lines
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import AppError
from desktop.paths import Home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("channels", help=_("Chat apps through which you and others reach the agent."))
    app.add_command(group)

    @options.verb(group, "status", _("List the chat apps and their states."))
    def status_command(*, as_json: bool) -> None:
        run(lambda home: _status(home, as_json), as_json=as_json)

    @options.verb(group, "enable", _("Turn a chat app on."))
    @click.argument("name")
    def enable_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _switch(home, name, True, as_json), as_json=as_json)

    @options.verb(group, "disable", _("Turn a chat app off."))
    @click.argument("name")
    def disable_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _switch(home, name, False, as_json), as_json=as_json)

    @options.verb(
        group,
        "key",
        _("Store a key. Asks for it or reads it from standard input; it is never an option."),
    )
    @click.argument("name")
    @click.argument("field", default="")
    def key_command(name: str, field: str, *, as_json: bool) -> None:
        run(lambda home: _key(home, name, field, as_json), as_json=as_json)

    @options.verb(group, "test", _("Sign in to a chat app once, and show as whom."))
    @click.argument("name")
    def test_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _test(home, name, as_json), as_json=as_json)

    @options.verb(group, "send", _("Send a message to a chat by its ID."))
    @click.argument("name")
    @click.argument("chat")
    @click.argument("text")
    def send_command(name: str, chat: str, text: str, *, as_json: bool) -> None:
        run(lambda home: _send(home, name, chat, text, as_json), as_json=as_json)

    link_app.register(group)
    _register_pairing(group)


def _register_pairing(group: click.Group) -> None:
    pairing = click.Group("pairing", help=_("People who want to write to the agent."))
    group.add_command(pairing)

    @options.verb(pairing, "list", _("List who wants to write."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _requests(home, as_json), as_json=as_json)

    @options.verb(pairing, "approve", _("Let someone write, by their code."))
    @click.argument("code")
    @click.option("--owner", is_flag=True, help=_("This is you: these messages count as yours."))
    def approve_command(code: str, owner: bool, *, as_json: bool) -> None:
        run(lambda home: _approve(home, code, owner, as_json), as_json=as_json)

    @options.verb(pairing, "deny", _("Don’t let someone write."))
    @click.argument("code")
    def deny_command(code: str, *, as_json: bool) -> None:
        run(lambda home: _deny(home, code, as_json), as_json=as_json)

    @options.verb(pairing, "revoke", _("Take someone off the list of who may write."))
    @click.argument("name")
    @click.argument("sender")
    def revoke_command(name: str, sender: str, *, as_json: bool) -> None:
        run(lambda home: _revoke(home, name, sender, as_json), as_json=as_json)


async def _status(home: Home, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        apps = await api.channels.all()
    if as_json:
        for app in apps:
            emit(asdict(app))
        return
    table(
        [_("App"), _("State"), _("Who may write"), _("Last message")],
        [[app.title, _state(app), _allowed(app), _ago(app.last_in)] for app in apps],
    )


def _state(app: App) -> str:
    words = {
        "off": _("on, not running") if app.on else _("off"),
        "starting": _("connecting"),
        "running": _("running"),
        "degraded": _retrying(app),
        "needs_sign_in": _("sign-in needed"),
        "failed": _("failed"),
    }
    return f"{words[app.state]}: {app.detail}" if app.detail else words[app.state]


def _retrying(app: App) -> str:
    left = math.ceil((app.again_at or 0.0) - time.time())
    return _("retrying in {n} s").format(n=left) if left > 0 else _("retrying")


def _allowed(app: App) -> str:
    if app.allowed < 0:
        return _("everyone")
    return _("nobody") if not (app.allowed or app.owner) else str(app.allowed or 1)


def _ago(moment: float | None) -> str:
    return _("{count} s ago").format(count=int(time.time() - moment)) if moment else ""


async def _switch(home: Home, name: str, on: bool, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        await api.channels.switch(name, on)
        app = next(app for app in await api.channels.all() if app.name == name)
    if as_json:
        emit(asdict(app))
        return
    say((_("{name} is on.") if on else _("{name} is off.")).format(name=app.title))
    if on and not app.owner:
        hint(_("Write to the bot. Then approve the code it answers with, with --owner."), dim=True)


async def _key(home: Home, name: str, field: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        app = next((app for app in await api.channels.all() if app.name == name), None)
        wanted = field or (app.secrets[0] if app else "")
        key = await Lines().secret(_("Key {field} of {name}: ").format(field=wanted, name=name))
        await api.channels.store_key(name, wanted, key)
    if as_json:
        emit({"name": name, "field": wanted})
    else:
        say(_("Key saved to the keychain."))


async def _test(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        tried = await api.channels.test(name)
    if as_json:
        emit(asdict(tried))
    elif tried.ok:
        say(_("Signed in as {name}.").format(name=tried.name))
        invited = [_("Invite it: {address}").format(address=tried.invitation)] if tried.invitation else []
        for note in (*tried.notes, *invited):
            hint(note)
    if not tried.ok:
        raise AppError(tried.text, tried.remedy)


async def _send(home: Home, name: str, chat: str, text: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        await api.channels.send(name, chat, text)
    if as_json:
        emit({"name": name, "chat": chat})
    else:
        say(_("Queued. It is sent while Nanobot runs."))


async def _requests(home: Home, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        found = await api.channels.requests()
    if as_json:
        for request in found:
            emit(asdict(request))
        return
    rows = [[one.code, one.title, one.name, one.sender] for one in found]
    table([_("Code"), _("App"), _("Name"), _("ID")], rows, _("No one is waiting."))


async def _approve(home: Home, code: str, owner: bool, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        request = await api.channels.approve(code, owner=owner)
    if as_json:
        emit(asdict(request))
        return
    text = _("{name} may write over {app}.")
    say(text.format(name=request.name or request.sender, app=request.title))


async def _deny(home: Home, code: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        request = await api.channels.deny(code)
    if as_json:
        emit(asdict(request))
    else:
        say(_("{name} stays out.").format(name=request.name or request.sender))


async def _revoke(home: Home, name: str, sender: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        await api.channels.revoke(name, sender)
    if as_json:
        emit({"name": name, "sender": sender})
    else:
        say(_("{name} may no longer write.").format(name=sender))
