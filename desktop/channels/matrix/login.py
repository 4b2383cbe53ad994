"""Who signs in, and how: a password once, which becomes the token of a device of our own."""

from dataclasses import dataclass

from desktop import logs
from desktop.channels.channel import WrongField
from desktop.channels.matrix.server import Json, Refused, Server, Unreachable
from desktop.config.channels.matrix import Matrix as Settings
from desktop.text import _

_NAME = "Nanobot Desktop"
"""Of the device, as the person sees it in the list of their sessions."""


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who is signed in."""

    user: str
    device: str
    token: str


async def found(settings: Settings, proxy: str) -> Server:
    """The homeserver of the account. Raises WrongField, AppError."""
    if settings.homeserver:
        return await Server.made(settings.homeserver, proxy)
    _name, _colon, domain = settings.user_id.partition(":")
    if not settings.user_id.startswith("@") or not domain:
        raise WrongField(
            "userId",
            _("A user ID is like {example}.").format(example="@nano:matrix.org"),
            _("Enter it under Settings › Channels."),
        )
    server = await Server.made(f"https://{domain}", proxy)
    try:
        server.base = await server.well_known()
    except BaseException:
        await server.close()
        raise
    return server


async def look(server: Server) -> None:
    """Whether there is a homeserver. Raises WrongField, AppError."""
    try:
        await server.ask("GET", "/_matrix/client/versions")
    except (Refused, Unreachable) as error:
        raise WrongField("homeserver", error.text, error.remedy) from error


async def sign_in(server: Server, settings: Settings, password: str) -> Account:
    """A new device. Raises WrongField where the account or the password is wrong, AppError."""
    logs.mask(password)
    if not settings.user_id:
        raise WrongField(
            "userId", _("The account has no user ID yet."), _("Enter it under Settings › Channels.")
        )
    body: Json = {
        "type": "m.login.password",
        "identifier": {"type": "m.id.user", "user": settings.user_id},
        "password": password,
        "initial_device_display_name": _NAME,
    }
    try:
        said = await server.ask("POST", "/login", body)
    except Refused as error:
        if error.code == "M_FORBIDDEN":
            raise WrongField(
                "password",
                _("The Matrix server does not take this user ID and password."),
                _("Check both under Settings › Channels."),
            ) from error
        raise WrongField(
            "password", error.text, _("If the server takes no passwords, use an access token.")
        ) from error
    return _kept(server, Account(str(said["user_id"]), str(said["device_id"]), str(said["access_token"])))


async def known(server: Server, settings: Settings, token: str) -> Account:
    """Whose token it is. Raises SignInNeeded, WrongField, AppError."""
    logs.mask(token)
    server.token = token
    said = await server.ask("GET", "/account/whoami")
    user, device = str(said.get("user_id") or ""), str(said.get("device_id") or settings.device_id)
    if settings.user_id.startswith("@") and user != settings.user_id:
        raise WrongField("userId", _("The access token is of another account: {user}").format(user=user))
    return _kept(server, Account(user, device, token))


async def has_keys(server: Server, account: Account) -> bool:
    """Whether others know keys of the device. Raises AppError."""
    said = await server.ask("POST", "/keys/query", {"device_keys": {account.user: [account.device]}})
    return account.device in ((said.get("device_keys") or {}).get(account.user) or {})


async def sign_out(server: Server) -> None:
    """Give the device up. Raises AppError."""
    await server.ask("POST", "/logout", {})


def _kept(server: Server, account: Account) -> Account:
    logs.mask(account.token)
    server.token = account.token
    return account
