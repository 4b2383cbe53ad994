"""The SDK's sign-in to a server, with the keychain for its storage and what it leaves out.

What it would keep in a file is one entry of the keychain: tokens, the moment they end, and where to renew
them; the SDK forgets the last two. It knows neither clients that a person registered nor servers of the
protocol of 2025-03-26, whose metadata at their own root may name an issuer further down.
"""

import json
import time
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit

from desktop import logs
from desktop.config.mcp import sign_in_name
from desktop.tools.mcp.environment import Ready
from desktop.tools.mcp.keychain import Entries
from desktop.tools.mcp.loopback import address_of

_BASIC, _POST = "client_secret_basic", "client_secret_post"
_METADATA = "/.well-known/oauth-authorization-server"


class Storage:
    """The SDK's TokenStorage on one entry of the keychain."""

    def __init__(self, keychain: Entries, entry: str, by_hand: str) -> None:
        self._keychain, self._entry = keychain, entry
        self.by_hand = by_hand
        """The id of the client that the person registered, where they did."""
        self.client: Any = None
        """The client, where it is known."""
        self.issuer = ""
        """Who signs people in, where that is not the root of the server's origin."""
        self.context: Any = None
        """The SDK's OAuthContext that this is the storage of."""

    async def load(self) -> bool:
        """Give the SDK what is stored; False where nothing is."""
        from mcp.shared.auth import (
            OAuthClientInformationFull,
            OAuthMetadata,
            OAuthToken,
            ProtectedResourceMetadata,
        )

        text = await self._keychain.get(self._entry)
        if not text:
            return False
        stored, context = json.loads(text), self.context
        if self.by_hand and stored["client"].get("client_id") != self.by_hand:
            return False  # tokens of another client
        context.current_tokens = OAuthToken.model_validate(stored["tokens"])
        context.token_expiry_time = stored["until"]
        context.client_info = self.client = OAuthClientInformationFull.model_validate(stored["client"])
        if stored["issuer"]:
            context.oauth_metadata = OAuthMetadata.model_validate(stored["issuer"])
        if stored["resource"]:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(
                stored["resource"]
            )
            servers = context.protected_resource_metadata.authorization_servers
            context.auth_server_url = str(servers[0]) if servers else None
        _mask(context.current_tokens)
        return True

    async def get_tokens(self) -> Any:
        return self.context.current_tokens

    async def set_tokens(self, tokens: Any) -> None:
        _mask(tokens)
        until = time.time() + tokens.expires_in if tokens.expires_in else None
        context = self.context
        value = {
            "tokens": _plain(tokens),
            "until": until,
            "client": _plain(self.client),
            "issuer": _plain(context.oauth_metadata),
            "resource": _plain(context.protected_resource_metadata),
        }
        await self._keychain.set(self._entry, json.dumps(value))

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_none=True) if model is not None else None


def _mask(tokens: Any) -> None:
    for secret in (tokens.access_token, tokens.refresh_token):
        if secret:
            logs.mask(secret)


def _kind() -> Any:
    import httpx2
    from mcp.client.auth import OAuthClientProvider

    class Provider(OAuthClientProvider):
        """A server that does not say who signs people in to it does so itself: its metadata may name any
        issuer of its own origin, and no other."""

        async def _auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
            flow = super()._auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    response = yield outgoing
                    if self.context.auth_server_url is None and outgoing.url.path == _METADATA:
                        response = await self._of_its_own(response)
                    outgoing = await flow.asend(response)
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()

        async def _of_its_own(self, response: Any) -> Any:
            """The metadata with the root for its issuer, as the SDK expects it there; settle() puts the
            real one back."""
            try:
                metadata: Any = json.loads(await response.aread()) if response.status_code == 200 else {}
                issuer = metadata.get("issuer") if isinstance(metadata, dict) else ""
                root = _origin(self.context.server_url)
                if not isinstance(issuer, str) or _origin(issuer) != root or issuer.rstrip("/") == root:
                    return response
            except ValueError:
                return response
            storage: Any = self.context.storage
            storage.issuer = issuer
            return httpx2.Response(200, json=metadata | {"issuer": root}, request=response.request)

    return Provider


def _origin(address: str) -> str:
    """Raises ValueError."""
    parts = urlsplit(address)
    port = {("https", 443): None, ("http", 80): None}.get((parts.scheme, parts.port or 0), parts.port)
    return f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port else "")


def settle(context: Any) -> None:
    """All is known that comes before the browser: the real issuer, and how a client that the person
    registered shows its secret to it."""
    storage, metadata = context.storage, context.oauth_metadata
    if storage.issuer and metadata is not None:
        metadata.issuer = type(metadata.issuer)(storage.issuer)
    client = context.client_info
    if storage.by_hand and client is not None and client.client_secret:
        ways = (metadata.token_endpoint_auth_methods_supported if metadata else None) or [_BASIC]
        client.token_endpoint_auth_method = _BASIC if _BASIC in ways or _POST not in ways else _POST


def provider_of(keychain: Entries, name: str, ready: Ready, port: int) -> tuple[Any, Storage]:
    """The SDK's sign-in for a server (blocking: it loads the SDK)."""
    from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata
    from pydantic import AnyUrl

    storage = Storage(keychain, sign_in_name(name), "" if ready.document else ready.client_id)
    back = [AnyUrl(address_of(port))]
    metadata = OAuthClientMetadata(
        client_name="Nanobot Desktop",
        redirect_uris=back,
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",  # noqa: S106 the name of a way, no password
    )
    document = ready.client_id if ready.document else None
    provider = _kind()(ready.url, metadata, storage, client_metadata_url=document)
    if storage.by_hand:
        storage.client = OAuthClientInformationFull(
            client_id=ready.client_id,
            client_secret=ready.client_secret or None,
            redirect_uris=back,
            token_endpoint_auth_method="none",  # noqa: S106 until the server has said what it takes
        )
    storage.context = provider.context
    return provider, storage
