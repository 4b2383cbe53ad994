"""What a service does not take of a message is told in the message, and the rest goes."""

from dataclasses import replace
from pathlib import Path

from desktop.channels.channel import Channel
from desktop.channels.message import Outgoing
from desktop.channels.registry import TITLES
from desktop.text import _


def fitting(channel: Channel, message: Outgoing) -> Outgoing:
    """The message without the files that are too large for the service. Blocks."""
    most, together, title = channel.largest(), channel.abilities.together, _(TITLES[channel.name])
    kept, told, taken = [], list[str](), 0
    for file in message.files:
        size, name = _size(file), f"`{Path(file).name.replace('`', '')}`"
        if not most:
            told.append(
                _("{app} takes no files: {name} stays on this computer.").format(name=name, app=title)
            )
        elif size > most:
            text = _("The file {name} is too large for {app}: {size} MB of {most} MB.")
            told.append(text.format(name=name, app=title, size=_megabytes(size), most=_megabytes(most)))
        elif together and taken + size > together:
            text = _("The file {name} did not fit: {app} takes {most} MB in all.")
            told.append(text.format(name=name, app=title, most=_megabytes(together)))
        else:
            taken += size
            kept.append(file)
    if not told:
        return message
    text = "\n\n".join(part for part in (message.text, *told) if part.strip())
    return replace(message, text=text, files=tuple(kept))


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0  # who sends it finds out


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}".removesuffix(".0")
