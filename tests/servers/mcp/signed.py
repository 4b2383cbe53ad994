"""An MCP server over HTTP that only answers who has signed in, with its own authorization server beside it.

`--port N`; `--seconds N` is how long an access token lasts; `--refuse` declines each sign-in; `--notes
FILE` takes a line for each token that was given.
"""

import argparse
import secrets
import time
from pathlib import Path

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

given = argparse.ArgumentParser()
given.add_argument("--port", type=int, required=True)
given.add_argument("--seconds", type=int, default=3600)
given.add_argument("--refuse", action="store_true")
given.add_argument("--notes", type=Path)
options = given.parse_args()
root = f"http://127.0.0.1:{options.port}"


def note(line: str) -> None:
    if options.notes:
        with options.notes.open("a") as file:
            file.write(f"{line}\n")


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Signs everybody in at once, or nobody."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        back = str(params.redirect_uri)
        if options.refuse:
            return construct_redirect_uri(
                back, error="access_denied", error_description="Not today", state=params.state
            )
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id or "",
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(back, code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        note("signed-in")
        return self._tokens(client.client_id or "", authorization_code.scopes)

    def _tokens(self, client: str, scopes: list[str]) -> OAuthToken:
        until = int(time.time()) + options.seconds
        access, refresh = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        self.access[access] = AccessToken(token=access, client_id=client, scopes=scopes, expires_at=until)
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client, scopes=scopes)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=options.seconds)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refresh[refresh_token.token]
        note("renewed")
        return self._tokens(client.client_id or "", scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        found = self.access.get(token)
        return found if found and (found.expires_at or 0) > time.time() else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)


server = MCPServer(
    "signed",
    auth_server_provider=Provider(),
    auth=AuthSettings(
        issuer_url=AnyHttpUrl(root),
        resource_server_url=AnyHttpUrl(f"{root}/mcp"),
        client_registration_options=ClientRegistrationOptions(enabled=True),
    ),
)


@server.tool(structured_output=False)
def secret() -> str:
    """Something for those who are signed in."""
    return "the secret"


server.run("streamable-http", host="127.0.0.1", port=options.port)
