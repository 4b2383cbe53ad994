"""Peers on sockets: a model server like Ollama, and the hub that the built-in model comes from."""

import datetime as dt
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HUB = "huggingface.co"


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments: object) -> None:
        """The client hung up."""


class _Peer:
    """A server in a thread, on a port of its own."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = _Quiet(("127.0.0.1", 0), type("Handler", (handler,), {"peer": self}))
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _OllamaHandler(BaseHTTPRequestHandler):
    peer: "Ollama"

    def do_GET(self) -> None:
        tags = {"models": [{"name": name} for name in self.peer.models]}
        pages = {"/api/version": {"version": "0.9"}, "/api/tags": tags}
        self._send(json.dumps(pages.get(self.path, {})).encode(), "application/json")

    def do_POST(self) -> None:
        self.peer.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if self.peer.fails:
            self.send_error(500)
            return
        chunks: list[dict[str, Any]] = [
            {"delta": {"content": "ready"}},
            {"delta": {}, "finish_reason": "stop"},
        ]
        lines = [f"data: {json.dumps({'choices': [chunk]})}\n\n" for chunk in chunks]
        self._send("".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


class Ollama(_Peer):
    """Answers as Ollama does: its version, its models, a chat."""

    def __init__(self) -> None:
        super().__init__(_OllamaHandler)
        self.models = ["qwen3:8b", "llama3:8b"]
        self.fails = False
        self.asked: list[dict[str, Any]] = []


class _HubHandler(BaseHTTPRequestHandler):
    peer: "Hub"
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        """The proxy's way to the hub: this very server, speaking TLS."""
        if self.peer.closed:
            self.send_error(503)
            return
        self.send_response(200)
        self.end_headers()
        with self.peer.context.wrap_socket(self.connection, server_side=True) as secured:
            self._give(secured)
        self.close_connection = True

    def _give(self, secured: ssl.SSLSocket) -> None:
        request = b""
        while b"\r\n\r\n" not in request and (data := secured.recv(65536)):
            request += data
        self.peer.asked.append(request.decode())
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {self.peer.size}\r\n\r\n"
        secured.sendall(head.encode() + bytes(self.peer.gives))
        while secured.recv(65536):
            pass  # hold the rest back until the client leaves

    def log_message(self, *arguments: object) -> None:
        pass


class Hub(_Peer):
    """A proxy that answers for the hub itself and gives the beginning of any file."""

    def __init__(self, folder: Path, size: int, gives: int) -> None:
        super().__init__(_HubHandler)
        self.size, self.gives, self.closed = size, gives, False
        self.asked: list[str] = []
        self.certificate = folder / "hub.pem"
        self.certificate.write_bytes(_certificate())
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate)

    @property
    def environment(self) -> dict[str, str]:
        """What leads a client here."""
        return {"HTTPS_PROXY": f"http://127.0.0.1:{self.port}", "SSL_CERT_FILE": str(self.certificate)}


def _certificate() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HUB)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HUB)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private + made.public_bytes(serialization.Encoding.PEM)
