"""Homes that nanobot could have left, of both generations, and a look at a home byte by byte."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.stories.program import texts

DATA = Path(__file__).parents[2] / "data"
WORKSPACE_ID = "0123456789abcdef0123456789abcdef"
KEY = "sk-or-FAKE"
"""The key in the older settings."""


def write(path: Path, content: str | bytes) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def older(root: Path) -> Path:
    """A home of February to April 2026; the folder that holds `.nanobot`."""
    data, home = DATA / "feb-apr-2026", root / ".nanobot"
    for source, target in (
        ("config.json", "config.json"),
        ("jobs.json", "cron/jobs.json"),
        ("telegram_1001.jsonl", "workspace/sessions/telegram_1001.jsonl"),
        ("cli_direct.jsonl", "sessions/cli_direct.jsonl"),
    ):
        write(home / target, (data / source).read_bytes())
    workspace = home / "workspace"
    for name in ("AGENTS", "SOUL", "USER", "TOOLS"):
        write(workspace / f"{name}.md", f"# {name}\n\nInvented text.\n")
    write(workspace / "HEARTBEAT.md", "# Heartbeat\n\n## Active Tasks\n\n- [ ] Look at the weather\n")
    write(workspace / "memory/MEMORY.md", "# Long-term Memory\n\n- Name: Dana (invented)\n")
    write(
        workspace / "memory/HISTORY.md",
        "[2026-02-20 10:00] Talked about basil.\n\n"
        "[2026-02-21 18:30] Chose terracotta pots. Two lines\nof text in one entry.\n\n",
    )
    write(workspace / "memory/2026-02-19.md", "Sowed the first seeds.\n")
    skill = "---\nname: herbs\ndescription: Look up herb facts.\n---\n\nBody text.\n"
    write(workspace / "skills/herbs/SKILL.md", skill)
    write(workspace / "skills/herbs/bin/look", "#!/bin/sh\necho basil\n").chmod(0o755)
    write(home / "media/telegram/p1.jpg", b"\xff\xd8")
    return root


def newer(root: Path) -> Path:
    """A home of version 0.3.5; the folder that holds `.nanobot`."""
    data, home = DATA / "v0.3.5", root / ".nanobot"
    write(home / "config.json", (data / "config.json").read_bytes())
    for path in data.glob("*.jsonl"):
        write(home / "sessions" / WORKSPACE_ID / path.name, path.read_bytes())
    write(home / "sessions" / WORKSPACE_ID / ".workspace", "/home/demo/.nanobot/workspace\n")
    workspace = home / "workspace"
    write(workspace / ".nanobot/workspace-id", f"{WORKSPACE_ID}\n")
    write(workspace / "cron/jobs.json", (data / "jobs.json").read_bytes())
    for name in ("AGENTS", "SOUL", "USER"):
        write(workspace / f"{name}.md", f"# {name}\n\nInvented text.\n")
    write(workspace / "HEARTBEAT.md", "# Heartbeat\n\n## Active Tasks\n\n- Check the greenhouse\n")
    write(workspace / "memory/MEMORY.md", "# Long-term Memory\n\n- Name: Dana (invented)\n")
    entries = [
        {"cursor": 1, "timestamp": "2026-02-20 10:00", "content": "Talked about basil."},
        {
            "cursor": 2,
            "timestamp": "2026-02-21 18:30",
            "content": "Chose pots.",
            "session_key": "telegram:1001",
        },
        {"cursor": 3, "timestamp": "2026-02-22 08:15", "content": "[RAW] 2 messages"},
    ]
    write(workspace / "memory/history.jsonl", "".join(json.dumps(entry) + "\n" for entry in entries))
    write(workspace / "memory/.cursor", "3")
    write(workspace / "memory/.dream_cursor", "2")
    for name in ("plain", "crlf"):
        skill = f"---\nname: {name}\ndescription: Minimal form.\n---\n\nBody.\n"
        write(workspace / f"skills/{name}/SKILL.md", skill)
    write(workspace / "prompts/dream.md", "Invented.\n")
    write(home / "pairing.json", "{}")
    return root


def conversation(path: Path, key: str, texts_: Sequence[str], *, day: int = 1) -> Path:
    """A session file as nanobot writes one."""
    head = {"_type": "metadata", "key": key, "created_at": f"2026-03-{day:02}T09:00:00", "metadata": {}}
    lines: list[dict[str, Any]] = [head]
    for number, text in enumerate(texts_):
        moment = f"2026-03-{day:02}T09:{number // 60:02}:{number % 60:02}.000001"
        lines.append({"role": ("user", "assistant")[number % 2], "content": text, "timestamp": moment})
    return write(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def looks(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file below a folder: its bytes, its mode and when it was changed."""
    found = {}
    for path, content in texts(folder):
        seen = path.lstat()
        found[str(path.relative_to(folder))] = (content, seen.st_mode, seen.st_mtime_ns)
    return found


def read_only(folder: Path) -> None:
    """Let nobody but root write to it; who does is seen by looks()."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o500 if path.is_dir() or os.access(path, os.X_OK) else 0o400)


def copied(root: Path, to: Path) -> Path:
    """The same home elsewhere."""
    return Path(shutil.copytree(root, to))
