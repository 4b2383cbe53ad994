"""The client that the conformance suite drives: the real program in a home that a running one owns.

It is given the server's address last, and the scenario in MCP_CONFORMANCE_SCENARIO. A person says yes to
all: their browser is this very file, which follows the page of a sign-in to its end.
"""

import json
import os
import subprocess
import sys
import urllib.request
from urllib.parse import urlsplit

_DOCUMENT = "https://conformance-test.local/client-metadata.json"
_TOOLS = {
    "tools_call": ("add_numbers", {"a": 5, "b": 3}),
    "elicitation-sep1034-client-defaults": ("test_client_elicitation_defaults", {}),
    "sse-retry": ("test_reconnection", {}),
}
_PROGRAM = [sys.executable, "-P", "-m", "desktop"]


def run(*arguments: str, given: str = "") -> None:
    """A command of the program, with what it says on the suite's own streams."""
    subprocess.run([*_PROGRAM, *arguments], input=given, text=True, check=False, timeout=60)


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
