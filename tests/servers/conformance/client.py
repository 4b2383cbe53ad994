"""The client that the conformance suite drives: the real program in a home that a running one owns.

It is given the server's address last, and the scenario in MCP_CONFORMANCE_SCENARIO. A person says yes to
all: their browser is this very file, which follows the page of a sign-in to its end.
"""

import importlib
import json
import os
import sys
import tempfile
import urllib.request
from urllib.parse import urlsplit

from desktop.__main__ import main as program

_DOCUMENT = "https://conformance-test.local/client-metadata.json"
_TOOLS = {
    "tools_call": ("add_numbers", {"a": 5, "b": 3}),
    "elicitation-sep1034-client-defaults": ("test_client_elicitation_defaults", {}),
    "sse-retry": ("test_reconnection", {}),
}


def run(*arguments: str, given: str = "") -> None:
    """A command of the program, with what it says on the suite's own streams: a process of its own, forked
    from one that has loaded what all of them load."""
    for module in ("desktop.cli.app", "desktop.cli.mcp", "desktop.cli.talk", "desktop.api.remote"):
        importlib.import_module(module)
    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        with tempfile.TemporaryFile() as file:
            file.write(given.encode())
            file.seek(0)
            os.dup2(file.fileno(), 0)
        sys.argv[1:] = arguments
        program()
    except SystemExit:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)


def main(url: str) -> None:
    """One scenario."""
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    name = f"c{urlsplit(url).port}"
    client: list[str] = []
    if scenario == "auth/basic-cimd":
        client = ["--client-id", _DOCUMENT]
    elif scenario == "auth/pre-registration":
        client = ["--client-id", given["client_id"], "--client-secret"]
    run("mcp", "add", name, "--url", url, *client, given=given.get("client_secret", ""))
    if scenario.startswith("auth/"):
        run("mcp", "sign-in", name)
    tool, arguments = _TOOLS.get(scenario, ("test-tool", {}))
    model = f"calls:{json.dumps([[f'mcp_{name}_{tool}', arguments]])}"
    run("ask", "Use it.", "--session", f"cli:{name}", "--model", model, "--approve", "all")
    run("mcp", "remove", name)


if __name__ == "__main__":
    if sys.argv[1] == "--browse":
        with urllib.request.urlopen(sys.argv[2], timeout=20) as page:
            page.read()
    else:
        main(sys.argv[-1])
