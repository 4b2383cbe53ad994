"""A registry of npm packages on a socket: what a test publishes is there, also a newer version of it."""

import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

PROGRAM = """#!/usr/bin/env node
const lines = require("readline").createInterface({ input: process.stdin });
const inputSchema = { type: "object", properties: {} };
const tools = [{ name: "version", description: "DESCRIPTION", inputSchema }];
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} },
        serverInfo: { name: "NAME", version: "VERSION" } }
    : method === "tools/list" ? { tools }
    : { content: [{ type: "text", text: "VERSION" }] };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
"""


class Registry:
    """Serves at `url` while it is entered."""

    def __init__(self) -> None:
        self._packages: dict[str, dict[str, bytes]] = {}
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name, _slash, file = self.path.lstrip("/").partition("/-/")
                body = registry.answer(name.split("?")[0], file)
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                """There are no advisories."""
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_words: Any) -> None:
                """Tests need no log of it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def publish(self, name: str, version: str, description: str = "Says its version.") -> None:
        """A newer version of a package: an MCP server whose tool `version` says which it is."""
        text = PROGRAM.replace("NAME", name).replace("VERSION", version).replace("DESCRIPTION", description)
        about = {"name": name, "version": version, "bin": {name: "index.js"}}
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, content in (("package.json", json.dumps(about)), ("index.js", text)):
                entry = tarfile.TarInfo(f"package/{path}")
                entry.size, entry.mode = len(content.encode()), 0o755
                archive.addfile(entry, io.BytesIO(content.encode()))
        self._packages.setdefault(name, {})[version] = packed.getvalue()

    def answer(self, name: str, file: str) -> bytes:
        """What is at a path; nothing where there is no such package."""
        versions = self._packages.get(name)
        if versions is None:
            return b""
        if file:
            return versions[file.removeprefix(f"{name}-").removesuffix(".tgz")]
        return json.dumps(
            {
                "name": name,
                "dist-tags": {"latest": list(versions)[-1]},
                "versions": {
                    version: {
                        "name": name,
                        "version": version,
                        "bin": {name: "index.js"},
                        "dist": {
                            "tarball": f"{self.url}/{name}/-/{name}-{version}.tgz",
                            "shasum": hashlib.sha1(content).hexdigest(),
                        },
                    }
                    for version, content in versions.items()
                },
            }
        ).encode()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
