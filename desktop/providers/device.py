"""Logins by a code that the person enters on a page of the provider: GitHub's way, and that of OpenAI.

Both speak as other programs of theirs do, for neither has a way in for this one; either may end some day.
Where they are asked can be changed by the environment, for tests.
"""

import asyncio
import base64
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.errors import AppError
from desktop.logs import mask
from desktop.net import way_out
from desktop.providers.base import SignInNeeded, Unreachable
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    import httpx

COPILOT, CODEX = "github_copilot", "openai_codex"
_BASES = {
    COPILOT: ("NANOBOT_DESKTOP_GITHUB_LOGIN", "https://github.com"),
    CODEX: ("NANOBOT_DESKTOP_CODEX_LOGIN", "https://auth.openai.com"),
}
_CLIENTS = {COPILOT: "Iv1.b507a08c87ecfe98", CODEX: "app_EMoamEEZ73f0CkXaXp7hrann"}
_SECONDS = 30.0
_CODEX_CODE_LIVES = 900.0
_EARLY = 300.0
"""Seconds before a token ends that it is exchanged for a new one."""


@dataclass(frozen=True, slots=True)
class Code:
    """What the person enters, and where."""

    user_code: str
    page: str
    seconds: float
    """How long it can be entered."""
    interval: float
    secret: str
    """By which the provider knows who asks; never shown."""


class CodeExpired(AppError):
    """The code was not entered in time."""


class Refused(AppError):
    """The person, or the provider, said no."""


async def begin(name: str) -> tuple["httpx.AsyncClient", Code]:
    """A new code, and the client to wait with. Raises AppError."""
    client = await in_thread(_client)
    try:
        return client, await (_github_code if name == COPILOT else _codex_code)(client)
    except BaseException:
        await client.aclose()
        raise


async def wait(name: str, client: "httpx.AsyncClient", code: Code) -> str:
    """Wait until the person has entered it: the tokens, to be kept in the keychain. Raises CodeExpired,
    Refused, Unreachable."""
    poll = _github_poll if name == COPILOT else _codex_poll
    ends, interval = time.monotonic() + code.seconds, code.interval
    while True:
        if time.monotonic() + interval > ends:
            raise CodeExpired(_("The code has expired."), _("Get a new one."))
        await asyncio.sleep(interval)
        found, slower = await poll(client, code)
        interval += slower
        if found:
            for token in found.values():
                mask(str(token))
            return json.dumps(found)


async def fresh(name: str, stored: str) -> str:
    """The tokens to use now, new ones where they end soon. Raises SignInNeeded, Unreachable."""
    tokens = _parsed(stored)
    for token in tokens.values():
        mask(str(token))
    if name != CODEX or float(tokens.get("expires_at") or 0) - time.time() > _EARLY:
        return stored
    client = await in_thread(_client)
    async with client:
        given = {
            "client_id": _CLIENTS[CODEX],
            "grant_type": "refresh_token",
            "refresh_token": str(tokens.get("refresh_token") or ""),
            "scope": "openid profile email",
        }
        status, answer = await _post(client, _at(CODEX, "/oauth/token"), data=given)
    if status != 200 or not answer.get("access_token"):
        raise SignInNeeded(
            _("The login has expired."),
            _("Sign in again in Settings, or with: nanobot-desktop provider login {name}").format(
                name=name
            ),
        )
    found = _codex_tokens({**tokens, **answer})
    for token in found.values():
        mask(str(token))
    return json.dumps(found)


def files(name: str, stored: str) -> dict[str, str]:
    """What litellm reads, by the names of its files. What renews the login is not lent."""
    tokens = _parsed(stored)
    if name == COPILOT:
        return {"access-token": str(tokens.get("access_token") or "")}
    lent = {key: tokens.get(key) for key in ("access_token", "expires_at", "account_id")}
    return {"auth.json": json.dumps(lent)}


# ---- GitHub


async def _github_code(client: "httpx.AsyncClient") -> Code:
    given = {"client_id": _CLIENTS[COPILOT], "scope": "read:user"}
    status, answer = await _post(client, _at(COPILOT, "/login/device/code"), json=given)
    return _code(status, answer, "device_code", str(answer.get("verification_uri") or ""), 900.0)


async def _github_poll(client: "httpx.AsyncClient", code: Code) -> tuple[dict[str, Any], float]:
    given = {
        "client_id": _CLIENTS[COPILOT],
        "device_code": code.secret,
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
    }
    _status, answer = await _post(client, _at(COPILOT, "/login/oauth/access_token"), json=given)
    if answer.get("access_token"):
        return {"access_token": answer["access_token"]}, 0.0
    match answer.get("error"):
        case "authorization_pending":
            return {}, 0.0
        case "slow_down":
            return {}, 5.0
        case "expired_token":
            raise CodeExpired(_("The code has expired."), _("Get a new one."))
    raise Refused(_("The login was denied."), _("Try again, and allow it on the page."))


# ---- OpenAI


async def _codex_code(client: "httpx.AsyncClient") -> Code:
    given = {"client_id": _CLIENTS[CODEX]}
    status, answer = await _post(client, _at(CODEX, "/api/accounts/deviceauth/usercode"), json=given)
    return _code(status, answer, "device_auth_id", _at(CODEX, "/codex/device"), _CODEX_CODE_LIVES)


async def _codex_poll(client: "httpx.AsyncClient", code: Code) -> tuple[dict[str, Any], float]:
    given = {"device_auth_id": code.secret, "user_code": code.user_code}
    status, answer = await _post(client, _at(CODEX, "/api/accounts/deviceauth/token"), json=given)
    if status in (403, 404):
        return {}, 0.0
    if status != 200 or not answer.get("authorization_code"):
        raise Refused(_("The login was denied."), _("Try again, and allow it on the page."))
    exchange = {
        "grant_type": "authorization_code",
        "code": str(answer["authorization_code"]),
        "redirect_uri": _at(CODEX, "/deviceauth/callback"),
        "client_id": _CLIENTS[CODEX],
        "code_verifier": str(answer.get("code_verifier") or ""),
    }
    status, answer = await _post(client, _at(CODEX, "/oauth/token"), data=exchange)
    if status != 200 or not answer.get("access_token"):
        raise Refused(_("The login was denied."), _("Try again, and allow it on the page."))
    return _codex_tokens(answer), 0.0


def _codex_tokens(answer: Mapping[str, Any]) -> dict[str, Any]:
    access, identity = str(answer["access_token"]), str(answer.get("id_token") or "")
    own = _claims(identity or access).get("https://api.openai.com/auth")
    account = own.get("chatgpt_account_id") if isinstance(own, dict) else None
    lives = answer.get("expires_in")
    ends = _claims(access).get("exp") or (time.time() + float(lives) if lives else time.time() + 3600)
    return {
        "access_token": access,
        "refresh_token": str(answer.get("refresh_token") or ""),
        "id_token": identity,
        "expires_at": ends,
        "account_id": account or answer.get("account_id"),
    }


def _claims(token: str) -> dict[str, Any]:
    """What a token says of itself; nothing where it is none that says something."""
    try:
        part = token.split(".")[1]
        found = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


# ---- both


def _at(name: str, path: str) -> str:
    variable, usual = _BASES[name]
    return os.environ.get(variable, usual).rstrip("/") + path


def _client() -> "httpx.AsyncClient":
    import httpx

    made: httpx.AsyncClient = way_out.client(
        httpx, timeout=_SECONDS, headers={"Accept": "application/json"}
    )
    return made


async def _post(client: "httpx.AsyncClient", url: str, **given: Any) -> tuple[int, dict[str, Any]]:
    """The status and the object that came; an empty one where it was none. Raises Unreachable."""
    import httpx

    try:
        response = await client.post(url, **given)
    except httpx.HTTPError as error:
        raise Unreachable(
            _("The sign-in page can’t be reached: {kind}.").format(kind=type(error).__name__),
            _("Check the network, then try again."),
        ) from error
    try:
        found = response.json()
    except ValueError:
        found = {}
    return response.status_code, found if isinstance(found, dict) else {}


def _code(status: int, answer: Mapping[str, Any], secret: str, page: str, lives: float) -> Code:
    user_code = str(answer.get("user_code") or answer.get("usercode") or "")
    if status != 200 or not (user_code and answer.get(secret)) or not page.startswith("http"):
        raise Refused(
            _("The provider returned no sign-in code ({status}).").format(status=status),
            _("Try again later. This way to sign in is unofficial and may have been closed."),
        )
    seconds = float(answer.get("expires_in") or lives)
    return Code(user_code, page, seconds, float(answer.get("interval") or 5), str(answer[secret]))


def _parsed(stored: str) -> dict[str, Any]:
    try:
        found = json.loads(stored)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"access_token": stored}
