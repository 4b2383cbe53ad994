"""What older nanobot files called by other names. Pure: the document given is not changed.

The file keeps its old names, so that the nanobot that wrote it can still read it.
"""

from collections.abc import Mapping
from typing import Any

from desktop.config.base import normal


def migrate(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with nanobot's renamed settings at their present places."""
    result = _without_autonomous(document)
    _transcription(result)
    tools_key = _key(result, "tools")
    if tools_key is None or not isinstance(result[tools_key], Mapping):
        return result
    tools = dict(result[tools_key])
    result[tools_key] = tools
    _restrict_to_workspace(tools)
    _my_tool(tools)
    return result


def is_autonomous(document: Mapping[str, Any]) -> bool:
    """Whether autonomous stands where only ask and risky may: it is a conversation's own, and ends."""
    permissions = _key(document, "permissions")
    section = document[permissions] if permissions is not None else None
    if not isinstance(section, Mapping):
        return False
    return any(
        normal(str(key)) == "mode" and isinstance(value, str) and value.strip().lower() == "autonomous"
        for key, value in section.items()
    )


def _without_autonomous(document: Mapping[str, Any]) -> dict[str, Any]:
    """As older versions wrote it by hand: the usual way of asking counts instead."""
    if not is_autonomous(document):
        return dict(document)
    return {
        key: {name: one for name, one in value.items() if normal(str(name)) != "mode"}
        if normal(str(key)) == "permissions" and isinstance(value, Mapping)
        else value
        for key, value in document.items()
    }


def _transcription(document: dict[str, Any]) -> None:
    """channels.transcriptionProvider and -Language became transcription.provider and .language."""
    channels_key = _key(document, "channels")
    if channels_key is None or not isinstance(document[channels_key], Mapping):
        return
    channels = dict(document[channels_key])
    own_key = _key(document, "transcription") or "transcription"
    own = dict(document[own_key]) if isinstance(document.get(own_key), Mapping) else {}
    found = False
    for name in ("provider", "language"):
        old = _key(channels, f"transcription{name}")
        if old is None:
            continue
        value, found = channels.pop(old), True
        if value and own.get(_key(own, name) or name) is None:
            own[_key(own, name) or name] = value
    if found:
        document[channels_key], document[own_key] = channels, own


def _restrict_to_workspace(tools: dict[str, Any]) -> None:
    """tools.exec.restrictToWorkspace became tools.restrictToWorkspace."""
    exec_key = _key(tools, "exec")
    if exec_key is None or not isinstance(tools[exec_key], Mapping):
        return
    inner = dict(tools[exec_key])
    old = _key(inner, "restrictToWorkspace")
    if old is None:
        return
    value = inner.pop(old)
    tools[exec_key] = inner
    if _key(tools, "restrictToWorkspace") is None:
        tools["restrictToWorkspace"] = value


def _my_tool(tools: dict[str, Any]) -> None:
    """tools.myEnabled and tools.mySet became tools.my.enable and tools.my.allowSet."""
    for old_name, new_name in (("myEnabled", "enable"), ("mySet", "allowSet")):
        old = _key(tools, old_name)
        if old is None:
            continue
        value = tools.pop(old)
        my_key = _key(tools, "my") or "my"
        my = dict(tools[my_key]) if isinstance(tools.get(my_key), Mapping) else {}
        if _key(my, new_name) is None:
            my[new_name] = value
        tools[my_key] = my


def _key(section: Mapping[str, Any], name: str) -> str | None:
    """The key under which the section has this name, in whatever style."""
    return next((key for key in section if normal(key) == normal(name)), None)
