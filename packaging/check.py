"""Whether the frozen program has all that it needs.

What can be imported and done from the source must be possible in the frozen program, with the same results:
every import of ours, late ones too, and all that desktop/cli/self_test.py does. Every provider is asked,
which loads the modules of both engines, and the program goes through the stories that freezing breaks, not
with --only-self-test.

Run by the Python of the tests, in their desktop session:
    bash tests/desktop-session.sh --secrets unlocked -- .venv/bin/python packaging/check.py PROGRAM
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from desktop import frames
from desktop.config.given import variable
from desktop.providers.registry_table import PROVIDERS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = [sys.executable, "-P", "-m", "desktop"]
DEAD = "http://127.0.0.1:9/v1"

WHATSAPP = ROOT / "desktop" / "channels" / "whatsapp" / "child"

STORIES = (
    "test_keychain.py",  # stores a key
    "test_mcp.py",  # starts a server
    "test_search.py",  # searches
    "test_memory.py",  # commits a version
    "test_builtin.py",  # runs the engine
    "test_cron.py",
    "test_quit.py",
    "test_link.py",
    "test_chat_apps.py",  # speaks with each service
    "test_provider.py",
    "window/test_presence.py",  # shows a notification
    "window/test_links.py",
    "window/test_quit.py",
)


def late_imports() -> list[str]:
    """Every module that the program's code imports anywhere, but for what only type checkers read."""
    found: set[str] = set()
    for path in (ROOT / "desktop").rglob("*.py"):
        if WHATSAPP in path.parents:
            continue  # ask_whatsapp() does
        tree = ast.parse(path.read_text("utf-8"))
        found |= set(_imported(tree.body))
        parts = path.relative_to(ROOT).with_suffix("").parts
        found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(found - {"desktop.__main__"})


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imported(node.orelse)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
        else:
            for inner in ast.iter_child_nodes(node):
                yield from _imported([inner] if isinstance(inner, ast.stmt) else _statements(inner))


def _statements(node: ast.AST) -> list[ast.stmt]:
    return [inner for inner in ast.walk(node) if isinstance(inner, (ast.Import, ast.ImportFrom))]


def self_test(command: list[str]) -> dict[str, Any]:
    """What the program says of itself."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [*command, "--self-test"],
            input=json.dumps({"modules": late_imports()}),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={**os.environ, "NANOBOT_DESKTOP_HOME": home, "QT_QPA_PLATFORM": "offscreen"},
        )
    if done.returncode:
        raise SystemExit(f"{command[0]} --self-test ended with {done.returncode}:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def differences(source: dict[str, Any], frozen: dict[str, Any]) -> list[str]:
    """What the frozen program cannot do, or does otherwise."""
    lines = [f"{name}: {why}" for name, why in frozen["failed"].items() if name not in source["failed"]]
    for name, result in source["done"].items():
        if frozen["done"].get(name) != result and name not in frozen["failed"]:
            lines.append(f"{name}: {frozen['done'].get(name)!r} instead of {result!r}")
    return lines


def ask_each_provider(program: Path) -> Iterator[str]:
    """Asked where nobody answers, each provider must say so: then its own modules are there."""
    for spec in PROVIDERS:
        if spec.kind == "oauth":  # needs a sign-in, before anything of it is loaded
            continue
        with tempfile.TemporaryDirectory() as home:
            settings = {
                "agents": {"defaults": {"provider": spec.name, "model": spec.suggestion or "some-model"}},
                "providers": {spec.name: {"apiBase": DEAD, "engine": "litellm" if spec.prefix else "auto"}},
            }
            Path(home, "config.json").write_text(json.dumps(settings), "utf-8")
            told = {"NANOBOT_DESKTOP_HOME": home, "NANOBOT_DESKTOP_LANGUAGE": "en"}
            if key := variable(spec.name):
                told[key] = "some-key"
            done = subprocess.run(
                [str(program), "ask", "Hello"],
                env={**os.environ, **told},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        if "can’t be reached" not in done.stderr:
            yield f"{spec.display}: {done.stderr.strip()[:300] or done.stdout.strip()[:300]}"


def ask_whatsapp(program: Path) -> Iterator[str]:
    """Its process must start; without its library it must say that, with it that it got no connection."""
    wanted = "unreachable" if os.environ.get("WITH_WHATSAPP") == "1" else "missing"
    with tempfile.TemporaryDirectory() as folder:
        dead = {"proxy": "http://127.0.0.1:9", "links": True, "phone": ""}
        process = subprocess.Popen(
            [str(program), "--whatsapp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin
        assert process.stdout
        process.stdin.write(frames.pack({"op": "open", "folder": folder, **dead}))
        process.stdin.flush()
        told = json.loads(frames.read(process.stdout) or b"{}")  # type: ignore[arg-type]
        process.stdin.close()
        process.wait(30)
    if told.get("why") != wanted:
        yield f"WhatsApp: {told} instead of {wanted}"


def tell_stories(program: Path) -> int:
    """Have the frozen program go through the stories; pytest's exit code."""
    stories = [str(ROOT / "tests" / "stories" / name) for name in STORIES]
    environment = {**os.environ, "NANOBOT_TEST_PROGRAM": str(program)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *stories], env=environment, check=False
    ).returncode


def main(program: Path, *, stories: bool) -> int:
    """Check it; the exit code."""
    source, frozen = self_test(SOURCE), self_test([str(program)])
    wrong = [*differences(source, frozen), *ask_each_provider(program), *ask_whatsapp(program)]
    print(f"{len(late_imports())} imports, {len(frozen['done'])} things done, each provider asked.")
    for line in wrong:
        print(f"wrong: {line}")
    failed = tell_stories(program) if stories else 0
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), stories="--only-self-test" not in sys.argv))
