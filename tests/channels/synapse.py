"""Matrix on this machine: a Synapse of its own, which talks to no other server.

tests/run.sh installs it, in an environment of its own, and says in .venv/.synapse where. It is stopped with
the test, and all that it knew is gone.
"""

import base64
import hashlib
import hmac
import json
import secrets
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from tests.channels.loopback import Json
from tests.channels.mail import free_ports, until_open

ROOT = Path(__file__).resolve().parents[2]
DOMAIN, PASSWORD = "nano.test", "password-of-the-tests"
_SECRET = "registers-users-of-the-tests"
_FREE = {"per_second": 1000, "burst_count": 1000}


def python() -> Path:
    """The Python that has Synapse."""
    place = ROOT / ".venv" / ".synapse"
    assert place.exists(), "bash tests/run.sh --version installs the Matrix server of the tests"
    return Path(place.read_text().strip()) / "bin" / "python"


class Synapse:
    """`url` is the homeserver. Stopped and started again it has the same port and all that it knew."""

    def __init__(self) -> None:
        (self.port,) = free_ports(1)
        self.folder = Path(tempfile.mkdtemp(prefix="synapse-"))
        self._server: subprocess.Popen[bytes] | None = None
        self._admin_token = ""

    @property
    def url(self) -> str:
        """The address of the homeserver."""
        return f"http://127.0.0.1:{self.port}"

    @staticmethod
    def user_id(name: str) -> str:
        """Of a user of this server."""
        return f"@{name}:{DOMAIN}"

    # ---- its life

    def __enter__(self) -> Self:
        try:
            self._configure()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start it, on the port that it had."""
        self._server = self._run()
        until_open(self.port, self._server, self.folder / "out")

    def stop(self) -> None:
        """Stop it; what it knows stays."""
        if self._server is not None:
            self.thaw()
            self._server.terminate()
            self._server.wait(60)
        self._server = None

    def freeze(self) -> None:
        """It answers nothing, and its connections stay."""
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        assert self._server is not None
        self._server.send_signal(signal.SIGCONT)

    def _run(self, *options: str) -> subprocess.Popen[bytes]:
        command = [
            str(python()),
            "-m",
            "synapse.app.homeserver",
            "-c",
            str(self.folder / "homeserver.yaml"),
        ]
        with open(self.folder / "out", "ab") as out:
            return subprocess.Popen(
                [*command, *options], cwd=self.folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )

    def _configure(self) -> None:
        at = str(self.folder)
        logs: Json = {"version": 1, "root": {"level": "WARNING", "handlers": ["out"]}}
        logs["handlers"] = {"out": {"class": "logging.StreamHandler"}}
        seed = base64.b64encode(secrets.token_bytes(32)).decode().rstrip("=")
        (self.folder / "signing.key").write_text(f"ed25519 a_test {seed}\n")
        (self.folder / "log.yaml").write_text(json.dumps(logs))  # which is YAML, too
        resources = [{"names": ["client"], "compress": False}]
        listener = {
            "bind_addresses": ["127.0.0.1"],
            "port": self.port,
            "type": "http",
            "resources": resources,
        }
        limits = {
            "rc_login": dict.fromkeys(("address", "account", "failed_attempts"), _FREE),
            "rc_joins": dict.fromkeys(("local", "remote"), _FREE),
            "rc_invites": dict.fromkeys(("per_room", "per_user", "per_issuer"), _FREE),
            **dict.fromkeys(("rc_message", "rc_registration", "rc_room_creation"), _FREE),
        }
        settings: Json = {
            "server_name": DOMAIN,
            "pid_file": f"{at}/pid",
            "public_baseurl": self.url,
            "listeners": [listener],
            "database": {"name": "sqlite3", "args": {"database": f"{at}/homeserver.db"}},
            "log_config": f"{at}/log.yaml",
            "media_store_path": f"{at}/media",
            "signing_key_path": f"{at}/signing.key",
            "registration_shared_secret": _SECRET,
            "macaroon_secret_key": "macaroons-of-the-tests",
            "form_secret": "forms-of-the-tests",
            "bcrypt_rounds": 4,
            "report_stats": False,
            "trusted_key_servers": [],
            "federation_domain_whitelist": [],
            "max_upload_size": "20M",
            "caches": {"sync_response_cache_duration": "0s"},  # else a second first look brings old news
        }
        (self.folder / "homeserver.yaml").write_text(json.dumps(settings | limits))

    # ---- what there is

    def register(self, name: str, password: str = PASSWORD, *, admin: bool = False) -> str:
        """A new user; the ID."""
        nonce = self._ask("GET", "/_synapse/admin/v1/register")["nonce"]
        said = "\0".join([nonce, name, password, "admin" if admin else "notadmin"])
        mac = hmac.new(_SECRET.encode(), said.encode(), hashlib.sha1).hexdigest()
        body = {"nonce": nonce, "username": name, "password": password, "admin": admin, "mac": mac}
        made = self._ask("POST", "/_synapse/admin/v1/register", body)
        if admin:
            self._admin_token = str(made["access_token"])
        return str(made["user_id"])

    def admin(self, method: str, path: str, body: Json | None = None) -> Json:
        """A call of the administrator's API, below /_synapse/admin/."""
        if not self._admin_token:
            self.register("admin", admin=True)
        return self._ask(method, f"/_synapse/admin/{path}", body)

    # ---- what goes wrong

    def log_out(self, name: str) -> None:
        """End every session of a user: their tokens are worth nothing any more."""
        user = quote(self.user_id(name))
        devices = self.admin("GET", f"v2/users/{user}/devices")["devices"]
        body = {"devices": [one["device_id"] for one in devices]}
        self.admin("POST", f"v2/users/{user}/delete_devices", body)

    def limit(self, name: str, per_second: int | None = 1, burst: int = 1) -> None:
        """More messages of a user than that get 429; None: no limit any more."""
        path = f"v1/users/{quote(self.user_id(name))}/override_ratelimit"
        if per_second is None:
            self.admin("DELETE", path)
        else:
            self.admin("POST", path, {"messages_per_second": per_second, "burst_count": burst})

    def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        request = urllib.request.Request(f"{self.url}{path}", method=method)
        request.add_header("Authorization", f"Bearer {self._admin_token}")
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=60) as answer:
                found: Any = json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()}") from error
        return dict(found)
