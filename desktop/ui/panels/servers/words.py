"""A server in words: what it runs or where it is, and how it is."""

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop.text import _, ngettext
from desktop.ui.widgets.plain import shown

if TYPE_CHECKING:
    from desktop.api.servers import Newer, ServerLine


def about(command: str, args: Sequence[str], url: str) -> str:
    """What it runs, or its address, in one line."""
    return " ".join(shown(command_line(command, args)).split()) if command or not url else shown(url)


def versions(server: "ServerLine") -> str:
    """Which version of each package it is run from, a line for each; "" where it fetches none."""
    lines = []
    for one in server.packages:
        package, version = shown(one.package), shown(one.version)
        if version:
            text = _("{package} is pinned to version {version}")
        else:
            text = _("The version of {package} is pinned the first time it starts.")
        lines.append(text.format(package=package, version=version))
    return "\n".join(lines)


def updates(found: "Sequence[Newer]") -> str:
    """Versions that could be taken, in a line for each."""
    return "\n".join(shown(f"{one.package}: {one.now or '?'} → {one.new}") for one in found) or _(
        "No newer version."
    )


def command_line(command: str, args: Sequence[str]) -> str:
    """Program and arguments as they are typed."""
    words = [command, *args]
    if os.name == "nt":
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return shlex.join(word for word in words if word)


def words_of(line: str) -> list[str]:
    """The words of such a line. Raises ValueError where a quotation mark is left open."""
    if os.name == "nt":  # a backslash is a part of a path there
        lexer = shlex.shlex(line, posix=False, punctuation_chars="")
        lexer.whitespace_split = True
        return [word.strip('"') for word in lexer]
    return shlex.split(line)


def state(server: "ServerLine") -> tuple[str, str]:
    """The role of its dot's colour, and how it is."""
    if not server.enabled:
        return "faint", _("Off")
    detail = shown(server.detail)
    match server.state:
        case "running":
            waiting = len(server.changed)
            parts = [_("Running"), tools(server)]
            if waiting:
                parts.append(
                    ngettext("{count} not accepted", "{count} not accepted", waiting).format(count=waiting)
                )
            return ("warning" if waiting else "success"), " · ".join(parts)
        case "starting":
            return "warning", detail or _("Starting…")
        case "degraded":
            return "warning", _("Retrying")
        case "needs_sign_in":
            return "warning", _("Sign-in needed")
        case "failed":
            return "danger", _("Failed")
    return "faint", _("Not running. It starts when a conversation needs it.")


def tools(server: "ServerLine") -> str:
    """How many tools it has, and how many of them are on."""
    total, on = server.tools_total, server.tools_on
    if on == total:
        return ngettext("{count} tool", "{count} tools", total).format(count=total)
    return ngettext("{on} of {count} tool", "{on} of {count} tools", total).format(on=on, count=total)
