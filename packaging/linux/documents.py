"""What a Linux package says of itself: python documents.py FOLDER SHARE

Writes into SHARE the manual page, from the command line's own help, the copyright file with every licence
that is shipped, and the changelog. FOLDER is the program's, as PyInstaller made it.
"""

import asyncio
import gzip
import os
import re
import subprocess
import sys
import sysconfig
from datetime import UTC, datetime
from pathlib import Path

import click

from desktop.api.about import About
from desktop.cli.app import build

ROOT = Path(__file__).resolve().parents[2]

NAME = "nanobot-desktop"
MOMENT = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)

_HEAD = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Nanobot Desktop
Comment: The program's folder holds the libraries that it uses. They are listed below,
 each with its licence.

Files: *
Copyright: Nanobot Desktop contributors
License: Expat
"""

_RELEASED = """\
{0} ({1}-1) stable; urgency=medium

  * Version {1}; what is new is in changelog.gz.

 -- Nanobot Desktop contributors <nanobot-desktop@users.noreply.github.com>  {2:%a, %d %b %Y %H:%M:%S} +0000
"""


def compressed(target: Path, text: str) -> None:
    """Write a file as Debian wants documents: by gzip, without a time in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


# ---- the manual page: man-pages(7), groff_man(7)

_LINKS = (
    ("nanobot-desktop://conversation/KEY", "A conversation."),
    ("nanobot-desktop://chat?text=TEXT", "Quick chat, with the text as a quotation."),
    ("nanobot-desktop://mcp?settings=JSON", "Settings of MCP servers, to be added or not."),
)


def manual() -> str:
    """All commands with their options."""
    app = build()
    context = click.Context(app, info_name=NAME)
    lines = [
        f'.TH NANOBOT-DESKTOP 1 {MOMENT:%Y-%m-%d} "{NAME} {os.environ["VERSION"]}" "User Commands"',
        ".SH NAME",
        rf"{_quoted(NAME)} \- personal AI agent in the system tray",
        ".SH SYNOPSIS",
        rf".B {_quoted(NAME)}",
        r"[\fIOPTIONS\fR] [\fICOMMAND\fR] [\fIARGUMENTS\fR]",
        ".br",
        rf".B {_quoted(NAME)}",
        r"\fILINK\fR",
        ".SH DESCRIPTION",
        "Without a command the window opens. Both have the same agent, conversations and memory.",
        ".SH OPTIONS",
        *_options(app, context),
        ".SH COMMANDS",
    ]
    for words, command, place in _commands(app, context):
        usage = " ".join(place.command.collect_usage_pieces(place))
        lines += [
            f'.SS "{_quoted(words)} {_quoted(usage)}"',
            _quoted(_help(command)),
            *_options(command, place),
        ]
    lines += [
        ".SH LINKS",
        "A link shows something; it sends, saves and runs nothing.",
        *(f".TP\n\\fI{_quoted(link)}\\fR\n{what}" for link, what in _LINKS),
        ".SH FILES",
        r".TP",
        r"\fI~/.local/share/nanobot\-desktop\fR",
        "Conversations, settings, memory and the agent\\(cqs own folder.",
        r".TP",
        r"\fI~/.cache/nanobot\-desktop/models\fR",
        "Models of this computer.",
        ".SH EXIT STATUS",
        "0 on success, 1 when it failed, 2 for a wrong command line, 130 when interrupted.",
    ]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> list[tuple[str, click.Command, click.Context]]:
    found: list[tuple[str, click.Command, click.Context]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        place = click.Context(command, parent=context, info_name=name)
        if isinstance(command, click.Group):
            found += [(f"{name} {words}", verb, of) for words, verb, of in _commands(command, place)]
        else:
            found.append((name, command, place))
    return found


def _help(command: click.Command) -> str:
    return " ".join((command.help or command.short_help or "").split())


def _options(command: click.Command, context: click.Context) -> list[str]:
    lines = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in parameter.opts:
            lines += [".TP", f".B {_quoted(record[0])}", _quoted(" ".join(record[1].split()))]
    return lines


def _quoted(text: str) -> str:
    """A text as roff reads it back."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq").replace("’", r"\(cq")
    return re.sub(r"^([.'])", r"\\&\1", text)


# ---- the licences


async def licences(folder: Path) -> str:
    """Of everything in the program's folder."""
    about = About()
    parts = [_HEAD, _indented((ROOT / "LICENSE").read_text("utf-8"))]
    parts.append(f"\nFiles: /opt/{NAME}/*\nCopyright: their authors, as the texts say\nLicense: various\n")
    own = [one for one in (await about.made()).shipped if one.name != "Nanobot Desktop"]
    for one in own:
        text = (await about.licence(one.name)).text
        parts.append(_indented(f"==== {one.name} {one.version}: {one.licence}\n\n{text}\n"))
    python = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    if python.is_file():
        parts.append(_indented(f"==== Python {sys.version.split()[0]}\n\n{python.read_text('utf-8')}"))
    parts += [_indented(text) for text in _system_libraries(folder)]
    return "\n".join(parts)


def _indented(text: str) -> str:
    """As the copyright format wants a text: indented, with a dot in empty lines."""
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in text.splitlines())


def _system_libraries(folder: Path) -> list[str]:
    """Licences of the libraries that come from the distribution on which this was built."""
    names = sorted(path.name for path in (folder / "_internal").glob("lib*.so*") if path.is_file())
    packages: dict[str, list[str]] = {}
    for name in names:
        done = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True, check=False)
        if package := done.stdout.partition(":")[0]:
            packages.setdefault(package, []).append(name)
    texts = []
    for package, libraries in sorted(packages.items()):
        text = Path("/usr/share/doc", package, "copyright").read_text("utf-8", "replace")
        texts.append(f"==== {', '.join(libraries)}, of Debian's {package}\n\n{text}")
    return texts


def main(folder: Path, share: Path) -> None:
    """Write all of it."""
    os.environ["NANOBOT_DESKTOP_LANGUAGE"] = "en"
    compressed(share / "man" / "man1" / f"{NAME}.1.gz", manual())
    documents = share / "doc" / NAME
    documents.mkdir(parents=True, exist_ok=True)
    (documents / "copyright").write_text(asyncio.run(licences(folder)) + "\n", "utf-8")
    compressed(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    compressed(documents / "changelog.Debian.gz", _RELEASED.format(NAME, os.environ["VERSION"], MOMENT))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
