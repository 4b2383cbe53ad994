"""channels login and logout: link a chat app to an account by a code, and forget the account."""

import math
from dataclasses import asdict

import click

from desktop.api.channels import Linked, Scanned, ToEnter, ToScan
from desktop.cli import options
from desktop.cli.output import block, emit, hint, say
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _


def register(group: click.Group) -> None:
    """Add the commands to `channels`."""

    @options.verb(group, "login", _("Link a chat app that has no keys (whatsapp) by a QR code."))
    @click.argument("name")
    @click.option("--phone", default="", help=_("Get a code to enter on the phone of this number."))
    def login_command(name: str, phone: str, *, as_json: bool) -> None:
        run(lambda home: _login(home, name, phone, as_json), as_json=as_json)

    @options.verb(group, "logout", _("Unlink such a chat app, and delete its sign-in."))
    @click.argument("name")
    def logout_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _logout(home, name, as_json), as_json=as_json)


def drawn(code: str) -> str:
    """A QR code in half-block characters, for light letters on dark."""
    import segno

    rows = [list(row) for row in segno.make_qr(code).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    signs = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join(
        "".join(signs[bool(up), bool(down)] for up, down in zip(*pair, strict=True)) for pair in pairs
    )


async def _login(home: Home, name: str, phone: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        if not as_json:
            hint(
                _(
                    "WhatsApp does not allow programs such as this one, and may suspend or ban the "
                    "account. Best link a number of the agent’s own."
                )
            )
        async for step in api.channels.link(name, phone):
            if as_json:
                emit({"event": _EVENTS[type(step)], **asdict(step)})
                continue
            _tell(step)


_EVENTS = {ToScan: "scan", ToEnter: "enter", Scanned: "scanned", Linked: "linked"}


def _tell(step: ToScan | ToEnter | Scanned | Linked) -> None:
    match step:
        case ToScan(code, seconds):
            block(drawn(code))
            how = _("On the phone: Settings › Linked devices › Link a device. Valid for {n} s.")
            say(how.format(n=math.ceil(seconds)))
        case ToEnter(code):
            how = _(
                "On the phone: Settings › Linked devices › Link a device › Link with phone number instead. "
                "Enter {code}"
            )
            say(how.format(code=code))
        case Scanned():
            say(_("The phone has it. Connecting…"))
        case Linked(account):
            say(_("Linked to +{number}.").format(number=account))


async def _logout(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "channels") as api:
        told = await api.channels.forget_link(name)
    if as_json:
        emit({"name": name, "told": told})
        return
    say(_("Unlinked."))
    if not told:
        hint(_("Also remove it on the phone, under Linked devices: it could not be told."))
