"""A server for logins by a code, in the ways of GitHub and of OpenAI, that says yes when it is told to."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs

GITHUB_TOKEN, COPILOT_TOKEN, REFRESH = "gho_test-9d81c2", "copilot-short-77aa", "refresh-once-41"


def codex_token(number: int, ends: float) -> str:
    """An access token of OpenAI's shape."""
    claims = {"exp": int(ends), "https://api.openai.com/auth": {"chatgpt_account_id": "acc-1"}, "n": number}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{body}.sign"


class _Handler(BaseHTTPRequestHandler):
    peer: "DeviceServer"

    def do_GET(self) -> None:
        self.peer.asked.append((self.path, {"authorization": self.headers.get("authorization", "")}))
        self._send(200, {"token": COPILOT_TOKEN, "expires_at": time.time() + 1500})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "json" in self.headers.get("Content-Type", ""):
            given = json.loads(raw)
        else:
            given = {name: values[0] for name, values in parse_qs(raw.decode()).items()}
        self.peer.asked.append((self.path, given))
        self._send(*self.peer.answer(self.path, given))

    def _send(self, status: int, value: Any) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


class DeviceServer:
    """`allow()` is the person who enters the code; `seconds` is how long one lives."""

    def __init__(self, seconds: float = 900, interval: float = 0.05) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"peer": self}))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.seconds, self.interval, self.codes = seconds, interval, 0
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.error = "authorization_pending"
        self.broken: bytes = b""
        self.ends = time.time() + 3600
        self._allowed = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def environment(self) -> dict[str, str]:
        """What leads the program, and litellm, here."""
        return {
            "NANOBOT_DESKTOP_GITHUB_LOGIN": self.url,
            "NANOBOT_DESKTOP_CODEX_LOGIN": self.url,
            "GITHUB_COPILOT_API_KEY_URL": f"{self.url}/copilot_internal/v2/token",
        }

    def allow(self) -> None:
        """The code is entered."""
        self._allowed = True

    def answer(self, path: str, given: dict[str, Any]) -> tuple[int, Any]:
        if self.broken:
            return 200, self.broken
        match path:
            case "/login/device/code" | "/api/accounts/deviceauth/usercode":
                self.codes += 1
                code = f"WXYZ-{self.codes:04}"
                page = {"verification_uri": f"{self.url}/login/device", "expires_in": self.seconds}
                secret = {"device_code": "dev-1", "device_auth_id": "dev-1"}
                return 200, {"user_code": code, "interval": self.interval} | secret | page
            case "/login/oauth/access_token":
                return 200, {"access_token": GITHUB_TOKEN} if self._allowed else {"error": self.error}
            case "/api/accounts/deviceauth/token":
                granted = {"authorization_code": "auth-1", "code_challenge": "c", "code_verifier": "v-1"}
                return (200, granted) if self._allowed else (403, {})
            case "/oauth/token":
                if given["grant_type"] == "refresh_token" and given["refresh_token"] != REFRESH:
                    return 400, {"error": "invalid_grant"}
                number = len(self.asked)
                return 200, {
                    "access_token": codex_token(number, self.ends),
                    "refresh_token": REFRESH,
                    "id_token": codex_token(0, self.ends),
                }
        return 404, {}
