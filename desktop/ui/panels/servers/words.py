"""A server in words: what it runs or where it is, and how it is."""

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from desktop.text import _, ngettext
from desktop.ui.conversation.plain import shown

type Json = Mapping[str, Any]


def about(server: Json) -> str:
    """What it runs, or its address, in one line."""
    if server.get("url") and not server.get("command"):
        return shown(str(server["url"]))
    return " ".join(shown(command_line(server)).split())


def versions(server: Json) -> str:
    """Which version of each package it is run from, a line for each; "" where it fetches none."""
    lines = []
    for one in server.get("packages") or ():
        package, version = shown(str(one["package"])), shown(str(one["version"]))
        if version:
            text = _("Runs {package} in this version alone: {version}")
        else:
            text = _("The version of {package} is kept when it is first started.")
        lines.append(text.format(package=package, version=version))
    return "\n".join(lines)


def updates(found: Sequence[Json]) -> str:
    """Versions that could be taken, in a line for each."""
    return "\n".join(shown(f"{one['package']}: {one['now'] or '?'} → {one['new']}") for one in found) or _(
        "There is no newer version."
    )


def command_line(server: Json) -> str:
    """Program and arguments as they are typed."""
    words = [str(server.get("command") or ""), *map(str, server.get("args") or ())]
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


def state(server: Json) -> tuple[str, str]:
    """The role of its dot's colour, and how it is."""
    if not server["enabled"]:
        return "faint", _("Switched off")
    detail = shown(str(server.get("detail") or ""))
    match server["state"]:
        case "running":
            waiting = len(server.get("changed") or ())
            parts = [_("Running"), tools(server)]
            if waiting:
                parts.append(
                    ngettext("{count} not accepted", "{count} not accepted", waiting).format(count=waiting)
                )
            return ("warning" if waiting else "success"), " · ".join(parts)
        case "starting":
            return "warning", detail or _("Starting…")
        case "degraded":
            return "warning", _("Trying again")
        case "needs_sign_in":
            return "warning", _("Needs a sign-in")
        case "failed":
            return "danger", _("Failed")
    return "faint", _("Not started: it is when a conversation needs it.")


def tools(server: Json) -> str:
    """How many tools it has, and how many of them are on."""
    total, on = int(server.get("tools_total") or 0), int(server.get("tools_on") or 0)
    if on == total:
        return ngettext("{count} tool", "{count} tools", total).format(count=total)
    return ngettext("{on} of {count} tool", "{on} of {count} tools", total).format(on=on, count=total)
