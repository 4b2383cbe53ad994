"""Discord's messages and presses as ours: a mention of the bot is not part of the text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import discord

from desktop.channels.message import Address, Attachment, Pressed, Received

OF_PEOPLE = (discord.MessageType.default, discord.MessageType.reply)
_EMOJI = re.compile(r"<a?(:\w+:)\d+>")
_MENTION = re.compile(r"<(@!?|@&|#)(\d+)>")


@dataclass(frozen=True, slots=True)
class Came:
    """What came in one event."""

    channel: str
    """Where it is, a thread's id for what is in one."""
    id: int
    private: bool = False
    message: Received | None = None
    pressed: Pressed | None = None
    shared: bool = False
    """It is of this bot, and another program sent it."""
    answer: "discord.Interaction[Any] | None" = None
    """By which the person who pressed, or chose a command, hears of it."""


def came(message: discord.Message, place: Any, me: discord.ClientUser, *, edited: bool) -> Came:
    """A message. `place`: its channel, where more is known of it than the message tells. `edited`: it is
    the new text of one that came before."""
    private = place.type is discord.ChannelType.private
    author = message.author
    theirs = not (author.bot or message.webhook_id or author.id == me.id) and message.type in OF_PEOPLE
    received = replace(_received(message, place, me), edited=edited) if theirs else None
    empty = received and not (received.text or received.files or received.quoted)
    return Came(str(place.id), message.id, private, None if empty else received)


def _received(message: discord.Message, place: Any, me: discord.ClientUser) -> Received:
    author, own = message.author, _own_roles(place, me)
    answered = message.reference.resolved if message.reference else None
    before = answered if isinstance(answered, discord.Message) else None
    named = me.id in message.raw_mentions or bool(own & set(message.raw_role_mentions))
    shared = message.message_snapshots
    text = "\n".join((message.content, *(one.content for one in shared)))
    files = [*message.attachments, *(file for one in shared for file in one.attachments)]
    return Received(
        _address(place),
        str(message.id),
        str(author.id),
        author.display_name,
        _plain(text, message, me, own),
        group=place.type is not discord.ChannelType.private,
        mentioned=named or bool(before and before.author.id == me.id),
        quoted=before.content if before and before.author.id not in (me.id, author.id) else "",
        forwarded=bool(shared),
        files=_files(files),
        at=message.created_at.timestamp(),
    )


def _address(place: Any) -> Address:
    """A thread belongs to its channel, and to the lists that name it."""
    if isinstance(place, discord.Thread):
        return Address("discord", str(place.parent_id), str(place.id))
    return Address("discord", str(place.id))


def _own_roles(place: Any, me: discord.ClientUser) -> set[int]:
    """The roles of the bot there; that of everybody is none."""
    guild = getattr(place, "guild", None)
    member = guild.get_member(me.id) if guild else None
    found = {role.id for role in member.roles if not role.is_default()} if member else set()
    if guild and guild.self_role:
        found.add(guild.self_role.id)
    return found


def _plain(text: str, message: discord.Message, me: discord.ClientUser, own: set[int]) -> str:
    """A text as people see it: names for ids, without the mention of the bot."""
    people = {one.id: one.display_name for one in message.mentions}
    roles = {one.id: one.name for one in message.role_mentions}

    def shown(found: re.Match[str]) -> str:
        kind, id_ = found[1], int(found[2])
        if kind == "#":
            channel = message.guild.get_channel_or_thread(id_) if message.guild else None
            return f"#{channel.name}" if channel else found[0]
        if id_ == me.id or (kind == "@&" and id_ in own):
            return ""
        names = roles if kind == "@&" else people
        return f"@{names[id_]}" if id_ in names else found[0]

    return _EMOJI.sub(r"\1", _MENTION.sub(shown, text)).strip()


def _files(found: Iterable[discord.Attachment]) -> tuple[Attachment, ...]:
    return tuple(Attachment(one.filename, one.size, ref=one.url) for one in found)


def press(interaction: "discord.Interaction[Any]") -> Came:
    """A button of ours."""
    data: Any = interaction.data or {}
    channel = str(interaction.channel_id or "")
    pressed = Pressed(
        Address("discord", channel), str(interaction.user.id), str(data.get("custom_id") or "")
    )
    return Came(channel, interaction.id, pressed=pressed, answer=interaction)


def command(interaction: "discord.Interaction[Any]") -> Came:
    """A command from Discord's menu, as if it were written."""
    data: Any = interaction.data or {}
    place, user = interaction.channel, interaction.user
    if place is None:
        return Came("", interaction.id)
    private = place.type is discord.ChannelType.private
    received = Received(
        _address(place),
        str(interaction.id),
        str(user.id),
        user.display_name,
        f"/{data.get('name')}",
        group=not private,
        mentioned=True,
        at=interaction.created_at.timestamp(),
    )
    return Came(str(place.id), interaction.id, private, received, answer=interaction)
