"""An MCP server over HTTP with its own authorization server, strict about rights: greeting needs none,
listing the right `read`, calling the right `write`.

`--port N`; `--notes FILE` takes a line for each sign-in, with the rights that were asked for, and one for
each token. `--grudging` grants nobody `write`. `--client ID:SECRET` knows this client alone, and wants its
secret in the header, or with `--post` in the body.
"""

import argparse
import base64
import json
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

options_of = argparse.ArgumentParser()
options_of.add_argument("--port", type=int, required=True)
options_of.add_argument("--notes", type=Path)
options_of.add_argument("--grudging", action="store_true")
options_of.add_argument("--client", default="")
options_of.add_argument("--post", action="store_true")
options = options_of.parse_args()
ROOT = f"http://127.0.0.1:{options.port}"
TOOL = {"name": "change", "description": "Changes something", "inputSchema": {"type": "object"}}
NEEDS = {"initialize": "", "notifications/initialized": "", "tools/call": "write"}
CODES: dict[str, str] = {}
TOKENS: dict[str, set[str]] = {}


def note(line: str) -> None:
    if options.notes:
        with options.notes.open("a") as file:
            file.write(f"{line}\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_words: Any) -> None:
        """Quiet."""

    def reply(self, status: int, value: Any = None, **headers: str) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, content in headers.items():
            self.send_header(name.replace("_", "-"), content)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/.well-known/oauth-protected-resource/mcp":
            self.reply(200, {"resource": f"{ROOT}/mcp", "authorization_servers": [ROOT]})
        elif parts.path == "/.well-known/oauth-authorization-server":
            secret = "client_secret_post" if options.post else "client_secret_basic"
            metadata = {
                "issuer": ROOT,
                "authorization_endpoint": f"{ROOT}/authorize",
                "token_endpoint": f"{ROOT}/token",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": [secret if options.client else "none"],
            }
            register = {} if options.client else {"registration_endpoint": f"{ROOT}/register"}
            self.reply(200, metadata | register)
        elif parts.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            rights = query.get("scope", "")
            note(f"asked:{'+'.join(sorted(rights.split()))}")
            code = secrets.token_urlsafe(8)
            CODES[code] = rights
            back = urlencode({"code": code, "state": query["state"]})
            self.reply(302, Location=f"{query['redirect_uri']}?{back}")
        else:
            self.reply(405 if parts.path == "/mcp" else 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/register" and not options.client:
            given = json.loads(body)
            self.reply(201, given | {"client_id": secrets.token_hex(4)})
        elif self.path == "/token":
            self.token({name: values[0] for name, values in parse_qs(body.decode()).items()})
        elif self.path == "/mcp":
            self.speak(json.loads(body))
        else:
            self.reply(404, {})

    def token(self, given: dict[str, str]) -> None:
        if options.client:
            basic = self.headers.get("Authorization", "").partition(" ")[2]
            shown = unquote(base64.b64decode(basic).decode())
            if options.post:
                shown = f"{given.get('client_id')}:{given.get('client_secret')}"
            if shown != options.client:
                self.reply(401, {"error": "invalid_client"})
                return
        rights = set(CODES.pop(given["code"]).split()) - ({"write"} if options.grudging else set())
        token = secrets.token_urlsafe(12)
        TOKENS[token] = rights
        note("token")
        scope = {"scope": " ".join(sorted(rights))} if rights else {}
        self.reply(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600, **scope})

    def speak(self, message: dict[str, Any]) -> None:
        method = message["method"]
        needed = NEEDS.get(method, "read")
        has = TOKENS.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
        where = f'resource_metadata="{ROOT}/.well-known/oauth-protected-resource/mcp"'
        if needed and has is None:
            self.reply(401, {}, WWW_Authenticate=f'Bearer scope="read", {where}')
        elif needed and needed not in (has or ()):
            challenge = f'Bearer error="insufficient_scope", scope="{needed}", {where}'
            self.reply(403, {}, WWW_Authenticate=challenge)
        elif "id" not in message:
            self.reply(202)
        elif method == "initialize":
            told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            self.answer(message, told | {"serverInfo": {"name": "rights", "version": "0"}})
        elif method == "tools/list":
            self.answer(message, {"tools": [TOOL]})
        elif method == "tools/call":
            note("changed")
            self.answer(message, {"content": [{"type": "text", "text": "It is changed."}]})
        else:
            error = {"code": -32601, "message": "Method not found"}
            self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})

    def answer(self, message: dict[str, Any], result: dict[str, Any]) -> None:
        self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
