"""The architecture as a test: who may import whom, where foreign engines may live, how big things get.

The rules are functions from a source tree to a list of violations, so that each can also be shown to
bite: every planted violation at the end of this file must be found.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "desktop"
CLOCKS = ("time.monotonic() - ", "time.perf_counter() - ")

KIT = (
    "errors paths text logs tasks pace origin files addresses jsontext help remedies crashes markdown heap"
    " frames child"
)
LOW = f"{KIT} bus config database"
MAY_IMPORT = {
    "__init__": "",
    "errors": KIT,
    "paths": KIT,
    "text": KIT,
    "logs": KIT,
    "tasks": KIT,
    "pace": KIT,
    "origin": KIT,
    "jsontext": KIT,
    "addresses": KIT,
    "markdown": KIT,
    "help": KIT,
    "remedies": KIT,
    "crashes": KIT,
    "heap": KIT,
    "frames": KIT,
    "child": KIT,
    "updates": f"{LOW} net services inbox",
    "files": KIT,
    "bus": KIT,
    "config": KIT,
    "database": KIT,
    "ipc": KIT,
    "net": KIT,
    "services": LOW,
    "usage": LOW,
    "marks": f"{KIT} database",
    "session": f"{KIT} config database",
    "skills": f"{KIT} config database",
    "providers": f"{LOW} net usage services",
    "inbox": LOW,
    "cron": f"{LOW} services usage inbox",
    "links": f"{KIT} tools",
    "heartbeat": f"{LOW} services usage inbox providers",
    "memory": f"{LOW} services usage session skills providers",
    "channels": f"{LOW} net services inbox",
    "tools": f"{LOW} net services session memory skills cron inbox",
    "agent": f"{LOW} session providers memory skills tools usage inbox cron marks",
    "merge": f"{KIT} config database session memory skills cron inbox services providers usage",
    "doctor": (
        f"{KIT} net config database session memory skills cron inbox services providers merge updates"
    ),
    "ui": f"{KIT} bus config services session memory skills cron inbox usage api links",
    "__main__": "paths cli links providers channels tools",
}
MAY_IMPORT["api"] = " ".join(sorted(set(MAY_IMPORT) - {"ui", "cli", "__main__"}))
MAY_IMPORT["core"] = " ".join(sorted(set(MAY_IMPORT) - {"ui", "cli", "__main__"}))
MAY_IMPORT["cli"] = " ".join(sorted(set(MAY_IMPORT) - {"__main__"} | {"core"}))

UNDER_THE_WINDOW = {"theme": "theme words", "widgets": "theme widgets words"}
"""Folders of `ui` that all others are made of, and what they may import of it."""
ONLY_IN = {
    "PySide6": "ui",
    "shiboken6": "ui",
    "qasync": "ui",
    "litellm": "providers/host",
    "openai": "providers/host",
    "neonize": "channels/whatsapp/child",
}
CHANNELS = {
    "telegram",
    "whatsapp",
    "discord",
    "feishu",
    "mochat",
    "dingtalk",
    "email",
    "slack",
    "qq",
    "matrix",
}
"""The chat apps: none imports another, and of the rest only the registry knows them."""
NESTED_LOOPS = {"exec", "exec_", "processEvents", "run_until_complete"}
LOOP_STARTER = ("ui/app.py", "app.exec")
"""Where the application's own loop is entered; every other exec would nest one in it."""
TASK_MAKERS = {"create_task", "ensure_future"}
BLOCKING = (
    "exists is_dir is_file is_symlink stat lstat glob rglob iterdir read_text read_bytes write_text "
    "write_bytes mkdir rmdir unlink chmod symlink_to rmtree copyfile copytree copy2 listdir scandir"
)
"""Calls that may wait for a disk; in a coroutine they belong into a thread."""
OPENER_ONLY = (
    *("agent/", "memory/", "skills/", "session/", "cron/", "heartbeat.py", "services/"),
    *("tools/files/", "tools/mcp/results.py", "tools/cron.py", "tools/memory.py", "tools/message.py"),
    "tools/permissions/scripts.py",
)
"""What works on the workspace, where tools plant links: there desktop.files opens, and nothing else."""
OPENER_WRITES = ("merge/importer/", "merge/files.py", "merge/backup/mending.py")
"""What brings files from elsewhere into the workspace: it reads them as they lie, but writes likewise."""
BY_NAME = frozenset(
    [
        "read_text",
        "read_bytes",
        "write_text",
        "write_bytes",
        "iterdir",
        "glob",
        "rglob",
        "touch",
        "chmod",
        "lchmod",
        "rename",
        "symlink_to",
        "hardlink_to",
        "readlink",
        "samefile",
    ]
)
"""Methods of Path that a Place has not."""
WRITING = frozenset(["write_text", "write_bytes", "touch", "chmod", "rename", "symlink_to", "hardlink_to"])
BY_NAME_OR_PLACE = frozenset(
    ["open", "unlink", "rmdir", "mkdir", "exists", "is_file", "is_dir", "is_symlink", "stat", "lstat"]
)
"""Those that both have: fine where the name of what has them says that it is a place."""
OF_MODULES = {
    "os": "open replace rename renames unlink remove rmdir removedirs mkdir makedirs scandir listdir walk "
    "fwalk stat lstat link symlink readlink truncate chmod chown utime mkfifo mknod access",
    "shutil": "rmtree copy copy2 copyfile copytree copymode copystat move chown make_archive "
    "unpack_archive",
    "tempfile": "NamedTemporaryFile TemporaryDirectory mkstemp mkdtemp TemporaryFile",
    "io": "open FileIO open_code",
    "codecs": "open",
}
TERMINAL = "cli/output.py"
WRITERS = (
    "print click.echo click.secho click.echo_via_pager sys.stdout.write sys.stderr.write os.write "
    "sys.stdout.writelines sys.stderr.writelines"
)
WAY_OUT = ("net/way_out.py", "net/client.py")
"""Who may make HTTP clients: the one way out, and the guarded one for addresses that a model chose."""
CLIENTS = {
    *(
        (library, name)
        for library in ("httpx", "httpx2")
        for name in (
            *("Client", "AsyncClient", "HTTPTransport", "AsyncHTTPTransport"),
            *("get", "post", "put", "patch", "delete", "head", "options", "request", "stream"),
        )
    ),
    *(
        (library, name)
        for library in ("httpcore", "httpcore2")
        for name in (
            "ConnectionPool",
            "AsyncConnectionPool",
            "HTTPProxy",
            "AsyncHTTPProxy",
            "request",
            "stream",
        )
    ),
    *(
        ("urllib", name)
        for name in ("urlopen", "build_opener", "urlretrieve", "getproxies", "ProxyHandler")
    ),
    *(("http", name) for name in ("HTTPConnection", "HTTPSConnection")),
    *(("requests", name) for name in ("get", "post", "put", "request", "Session")),
    *(("aiohttp", name) for name in ("ClientSession", "request")),
}
"""Of a library, what opens connections by itself."""
FILE_LINES, FUNCTION_LINES, CLASS_METHODS = 400, 50, 25


@cache
def modules(root: Path) -> list[tuple[str, str, ast.Module, str]]:
    """For each source file: its path, its room, its tree, its text."""
    found = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        text = path.read_text("utf-8")
        found.append((name.as_posix(), name.parts[0].removesuffix(".py"), ast.parse(text), text))
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield "."
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("import_module", "__import__")
        ):
            yield from (str(ast.literal_eval(a)) for a in node.args[:1] if isinstance(a, ast.Constant))


def forbidden_imports(root: Path) -> list[str]:
    wrong = []
    for path, room, tree, _ in modules(root):
        if room not in MAY_IMPORT:
            wrong.append(f"{path}: {room} is no room of the design")
            continue
        for name in imported(tree):
            top, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if name == ".":
                wrong.append(f"{path}: relative import")
            elif top == "desktop" and target not in {room, "__version__", *MAY_IMPORT[room].split()}:
                wrong.append(f"{path}: {room} may not import {target}")
            elif top in ONLY_IN and not path.startswith(f"{ONLY_IN[top]}/"):
                wrong.append(f"{path}: only {ONLY_IN[top]} may import {top}")
            elif room == "channels" and _another_channel(path, name):
                wrong.append(f"{path}: one channel may not import another ({name})")
            elif room == "ui" and _up_in_the_window(path, name):
                wrong.append(
                    f"{path}: what is general may not import what is shown, nor a panel its "
                    f"neighbour ({name})"
                )
    return wrong


def _up_in_the_window(path: str, name: str) -> bool:
    if not name.startswith("desktop.ui."):
        return False
    target, here = name.removeprefix("desktop.ui.").split("."), path.removeprefix("ui/").split("/")
    if here[0] in UNDER_THE_WINDOW:
        return target[0] not in UNDER_THE_WINDOW[here[0]].split()
    return here[0] == target[0] == "panels" and target[1:2] not in ([], [here[1]])


def _another_channel(path: str, name: str) -> bool:
    target = name.removeprefix("desktop.channels.").split(".")[0]
    here = path.removeprefix("channels/").split("/")[0].removesuffix(".py")
    return name.startswith("desktop.channels.") and target in CHANNELS and here not in (target, "registry")


def banned_calls(root: Path) -> list[str]:
    wrong = []
    for path, _, tree, _ in modules(root):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            if node.attr in NESTED_LOOPS and (path, ast.unparse(node)) != LOOP_STARTER:
                wrong.append(f"{path}:{node.lineno}: {node.attr} nests an event loop")
            if node.attr in TASK_MAKERS and path != "tasks.py":
                wrong.append(f"{path}:{node.lineno}: {node.attr}: tasks are made by tasks.spawn only")
    return wrong


def blocking(root: Path) -> list[str]:
    wrong = []
    for path, _, tree, _ in modules(root):
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef):
                wrong += [
                    f"{path}:{call.lineno}: {ast.unparse(call.func)} may block the loop"
                    for call in _own_calls(node)
                    if isinstance(call.func, ast.Attribute) and call.func.attr in BLOCKING.split()
                ]
    return wrong


def _own_calls(function: ast.AST) -> Iterator[ast.Call]:
    """The calls of a coroutine itself, without those of functions defined in it."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            yield node
        yield from _own_calls(node)


def opened_by_name(root: Path) -> list[str]:
    """Files of the workspace that are not opened by the one opener."""
    wrong = []
    for path, _, tree, _ in modules(root):
        if not path.startswith(OPENER_ONLY):
            continue
        modules_as = dict(_modules_as(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in OF_MODULES:
                names = {alias.name for alias in node.names} & set(OF_MODULES[node.module].split())
                wrong += [f"{path}:{node.lineno}: {node.module}.{name} by name" for name in names]
            elif isinstance(node, ast.Name) and node.id == "open" and isinstance(node.ctx, ast.Load):
                wrong.append(f"{path}:{node.lineno}: open by name")
            elif isinstance(node, ast.Constant) and node.value in BY_NAME - {"glob"}:
                wrong.append(f"{path}:{node.lineno}: {node.value} as a text")
            elif isinstance(node, ast.Attribute) and _by_name(node, modules_as):
                wrong.append(f"{path}:{node.lineno}: {ast.unparse(node)} by name")
            elif isinstance(node, ast.Call) and _replaces(node):
                wrong.append(f"{path}:{node.lineno}: {ast.unparse(node.func)} by name")
    return wrong


def written_by_name(root: Path) -> list[str]:
    """Files that are put into the workspace by name."""
    wrong = []
    for path, _, tree, _ in modules(root):
        if not path.startswith(OPENER_WRITES):
            continue
        modules_as = dict(_modules_as(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in ("os", "shutil", "tempfile"):
                wrong += [f"{path}:{node.lineno}: {node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Attribute) and _writes(node, modules_as):
                wrong.append(f"{path}:{node.lineno}: {ast.unparse(node)} by name")
            elif isinstance(node, ast.Call) and (_replaces(node) or _opens_to_write(node)):
                wrong.append(f"{path}:{node.lineno}: {ast.unparse(node.func)} by name")
    return wrong


def _writes(node: ast.Attribute, modules_as: dict[str, str]) -> bool:
    owner = ast.unparse(node.value)
    if (module := modules_as.get(owner)) in ("os", "shutil", "tempfile"):
        reads = {"stat", "lstat", "scandir", "listdir", "walk", "fwalk", "access", "readlink"}
        return node.attr in set(OF_MODULES[module].split()) - reads
    last = owner.partition("(")[0] if isinstance(node.value, ast.Call) else owner.rpartition(".")[2]
    return node.attr in WRITING or (
        node.attr in {"unlink", "rmdir", "mkdir"} and "place" not in last.lower()
    )


def _opens_to_write(node: ast.Call) -> bool:
    opens = ast.unparse(node.func).rpartition(".")[2] == "open"
    given = [*node.args, *(word.value for word in node.keywords)]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return opens and any(set(mode) <= set("rwaxbt+") and set(mode) & set("wax+") for mode in modes)


def _modules_as(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)


def _by_name(node: ast.Attribute, modules_as: dict[str, str]) -> bool:
    owner = ast.unparse(node.value)
    if (module := modules_as.get(owner)) in OF_MODULES:
        return node.attr in OF_MODULES[module].split()
    if node.attr in BY_NAME:
        return owner != "args"
    last = owner.partition("(")[0] if isinstance(node.value, ast.Call) else owner.rpartition(".")[2]
    is_place = "place" in last.lower() or last == "exact"
    return node.attr in BY_NAME_OR_PLACE and not is_place and not _is_ours(node)


def _is_ours(node: ast.Attribute) -> bool:
    """A method of our own that is called like one of Path: of sessions, of something found on a walk."""
    return node.attr == "open" and ast.unparse(node.value).rpartition(".")[2] in {
        "sessions",
        "_sessions",
        "_conversations",
        "found",
        "self",
    }


def _replaces(node: ast.Call) -> bool:
    """Path.replace has one argument, that of a text has two, those of a date have names."""
    return (
        isinstance(node.func, ast.Attribute)
        and node.func.attr == "replace"
        and len(node.args) == 1
        and not node.keywords
    )


def oversized(root: Path) -> list[str]:
    wrong = []
    for path, _, tree, text in modules(root):
        if (lines := len(text.splitlines())) > FILE_LINES:
            wrong.append(f"{path}: {lines} lines")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > FUNCTION_LINES:
                    wrong.append(f"{path}:{node.lineno}: function {node.name} has {size} lines")
            elif isinstance(node, ast.ClassDef):
                methods = sum(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) for n in node.body)
                if methods > CLASS_METHODS:
                    wrong.append(f"{path}:{node.lineno}: class {node.name} has {methods} methods")
    return wrong


def undocumented(root: Path) -> list[str]:
    return [path for path, _, tree, text in modules(root) if text.strip() and not ast.get_docstring(tree)]


def writers(root: Path) -> list[str]:
    """What writes to a terminal past the one writer, which shows what a terminal would obey."""
    wrong = []
    for path, room, tree, _ in modules(root):
        if room not in ("cli", "__main__") or path == TERMINAL:
            continue
        wrong += [f"{path}: only {TERMINAL} may import {n}" for n in imported(tree) if n.startswith("rich")]
        for node in ast.walk(tree):
            text = ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else ""
            if text in WRITERS.split() or text.startswith(
                ("sys.stdout.buffer", "sys.__std", "sys.stderr.buffer")
            ):
                wrong.append(f"{path}:{node.lineno}: {text}: what is printed goes through {TERMINAL}")  # type: ignore[attr-defined]
    return wrong


def clocked(root: Path) -> list[str]:
    """Tests that fail where a computer is busy. What may hang has a timeout; speed has tests/bench."""
    return [
        f"{path}:{node.lineno}: a test asserts a time by the clock"
        for path, room, tree, _ in modules(root)
        if room not in ("bench", "soak")
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and any(clock in ast.unparse(node) for clock in CLOCKS)
    ]


def clients(root: Path) -> list[str]:
    """HTTP clients that are made past the one way out, which alone knows proxies and certificates."""
    wrong = []
    for path, _, tree, _ in modules(root):
        if path in WAY_OUT:
            continue
        names = dict(_modules_as(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                top = (node.module or "").partition(".")[0]
                found = [alias.name for alias in node.names if (top, alias.name) in CLIENTS]
                wrong += [f"{path}:{node.lineno}: {name} past {WAY_OUT[0]}" for name in found]
            elif isinstance(node, ast.Attribute):
                owner = ast.unparse(node.value)
                top = names.get(owner, owner).rpartition(".")[0] or names.get(owner, owner)
                is_made = (top.partition(".")[0], node.attr) in CLIENTS and not _is_type(tree, node)
                wrong += [f"{path}:{node.lineno}: {owner}.{node.attr} past {WAY_OUT[0]}"] if is_made else []
    return wrong


def _is_type(tree: ast.Module, node: ast.Attribute) -> bool:
    """Whether a name stands where only types stand: it is neither called, nor a base, nor handed on."""
    annotations = [
        one.annotation
        for one in ast.walk(tree)
        if isinstance(one, ast.AnnAssign | ast.arg) and one.annotation is not None
    ]
    return any(inner is node for annotation in annotations for inner in ast.walk(annotation))


RULES = [
    *(forbidden_imports, banned_calls, blocking, opened_by_name, written_by_name),
    *(oversized, undocumented, writers, clients),
]


@pytest.mark.parametrize("rule", RULES)
def test_the_program_keeps_the_rule(rule) -> None:  # type: ignore[no-untyped-def]
    assert not rule(SOURCE), "\n".join(rule(SOURCE))


def test_no_test_asserts_a_time_by_the_clock() -> None:
    assert not clocked(Path(__file__).parent), "\n".join(clocked(Path(__file__).parent))


PLANTED = {
    "a room above": (forbidden_imports, "session/bad.py", "from desktop.agent import loop"),
    "a room beside": (forbidden_imports, "bus/bad.py", "from desktop.config import store"),
    "the kit looks up": (forbidden_imports, "tasks.py", "import desktop.core"),
    "hidden in a function": (forbidden_imports, "usage.py", "def f():\n    import desktop.cli.app"),
    "by name": (forbidden_imports, "usage.py", "import importlib\nimportlib.import_module('desktop.cli')"),
    "Qt outside the window": (forbidden_imports, "core/bad.py", "from PySide6.QtCore import QObject"),
    "litellm outside the host": (forbidden_imports, "providers/client.py", "import litellm"),
    "openai outside the host": (forbidden_imports, "providers/client.py", "from openai import AsyncOpenAI"),
    "another channel": (forbidden_imports, "channels/slack.py", "from desktop.channels.email import x"),
    "a widget of a panel": (
        forbidden_imports,
        "ui/widgets/bad.py",
        "from desktop.ui.panels.tasks.words import at",
    ),
    "a panel of another": (
        forbidden_imports,
        "ui/panels/tasks/bad.py",
        "from desktop.ui.panels.skills.row import tag",
    ),
    "relative": (forbidden_imports, "core/bad.py", "from . import core"),
    "an unknown room": (forbidden_imports, "helpers.py", "x = 1"),
    "a nested loop": (banned_calls, "ui/bad.py", "dialog.exec()"),
    "a nested loop where the first one starts": (banned_calls, "ui/app.py", "dialog.exec()"),
    "a second task maker": (banned_calls, "core/bad.py", "import asyncio\nasyncio.create_task(f())"),
    "a look at the disk on the loop": (blocking, "core/bad.py", "async def f(p):\n    return p.exists()"),
    "a plain open": (opened_by_name, "memory/bad.py", "open('x')"),
    "an open that is handed on": (opened_by_name, "memory/bad.py", "opener = open"),
    "a path that opens": (opened_by_name, "agent/bad.py", "with path.open('rb') as file: ..."),
    "a path that opens, without a mode": (opened_by_name, "cron/bad.py", "self._path.open()"),
    "a path that reads": (opened_by_name, "skills/bad.py", "text = (folder / 'x').read_text()"),
    "a reading that is handed on": (opened_by_name, "heartbeat.py", "in_thread(path.read_bytes)"),
    "a reading by its name": (opened_by_name, "agent/bad.py", "getattr(path, 'read_text')()"),
    "a path that writes": (opened_by_name, "tools/files/bad.py", "path.write_bytes(b'')"),
    "a path that is removed": (opened_by_name, "session/bad.py", "path.unlink(missing_ok=True)"),
    "a path that takes another's place": (opened_by_name, "tools/mcp/results.py", "part.replace(path)"),
    "a look by name": (opened_by_name, "cron/bad.py", "if path.exists(): ..."),
    "a listing by name": (opened_by_name, "skills/bad.py", "import os\nos.scandir(folder)"),
    "a module under another name": (opened_by_name, "agent/bad.py", "import os as o\no.replace('a', 'b')"),
    "a function of a module": (opened_by_name, "memory/bad.py", "from shutil import rmtree"),
    "an import that writes": (written_by_name, "merge/importer/x.py", "path.write_text('x')"),
    "an import that opens to write": (written_by_name, "merge/importer/x.py", "path.open(mode='ab')"),
    "an import that makes folders": (
        written_by_name,
        "merge/importer/x.py",
        "folder.mkdir(parents=True)",
    ),
    "a restore that copies": (
        written_by_name,
        "merge/files.py",
        "import shutil\nshutil.copy2(a, b)",
    ),
    "a restore that renames": (written_by_name, "merge/files.py", "part.replace(path)"),
    "a mending that removes": (written_by_name, "merge/backup/mending.py", "import os\nos.unlink(path)"),
    "a long file": (oversized, "usage.py", "x = 1\n" * 401),
    "a long function": (oversized, "usage.py", "def f():\n" + "    x = 1\n" * 51),
    "a fat class": (
        oversized,
        "usage.py",
        "class A:\n" + "".join(f"    def f{i}(s): ...\n" for i in range(26)),
    ),
    "a word past the one writer": (writers, "cli/bad.py", "import sys\nsys.stdout.write(title)"),
    "a print": (writers, "cli/bad.py", "print(title)"),
    "an echo": (writers, "cli/bad.py", "import click\nclick.echo(f'{title}')"),
    "a table of its own": (writers, "cli/bad.py", "def f():\n    from rich.table import Table"),
    "a time by the clock": (clocked, "unit/test_bad.py", "assert time.monotonic() - began < 2"),
    "a client of its own": (clients, "providers/bad.py", "import httpx\nhttpx.AsyncClient()"),
    "a client by another name": (clients, "core/bad.py", "import httpx2 as h\nh.AsyncClient()"),
    "a client of a module": (clients, "tools/mcp/http.py", "from httpx import AsyncClient as C\nC()"),
    "a client that is made more of": (
        clients,
        "providers/host/wire.py",
        "def f():\n    import httpx2\n    class C(httpx2.AsyncClient): ...",
    ),
    "a request without a client": (clients, "providers/weights.py", "import httpx\nhttpx.get('https://x')"),
    "a request of the standard library": (
        clients,
        "core/bad.py",
        "import urllib.request\nurllib.request.urlopen('https://x')",
    ),
    "a client that is handed on": (clients, "core/bad.py", "import httpx\nmake = httpx.AsyncClient"),
    "no docstring": (undocumented, "usage.py", "x = 1"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_violation_is_found(what: str, tmp_path: Path) -> None:
    rule, name, text = PLANTED[what]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text, "utf-8")
    assert rule(tmp_path)
