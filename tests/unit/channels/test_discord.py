"""Discord's settings, and how far its channels were read."""

from pathlib import Path

from desktop.channels.discord.read import Read, snowflake
from desktop.channels.notes import Notes
from desktop.config.channels.discord import Discord
from desktop.database.database import Database


def test_nanobots_settings_are_understood() -> None:
    old = {
        "allowChannels": ["7"],
        "readReceiptEmoji": "",
        "workingEmojiDelay": 3,
        "proxyUsername": "me",
        "gatewayUrl": "wss://gateway.discord.gg",
        "intents": 37377,
    }
    found = Discord.model_validate(old)
    assert (found.allow_channels, found.read_receipt_emoji, found.working_emoji) == (("7",), "", "🔧")
    assert (found.working_emoji_delay, found.proxy_username) == (3.0, "me")
    assert found.model_dump(by_alias=True)["intents"] == 37377


def test_a_first_list_of_channels_counts_at_once_and_none_is_taken_away() -> None:
    rule = Discord.LOOSENS["allow_channels"]
    assert rule.part(("7",), (), ()) == (("7",), [])
    assert rule.part(("8",), ("7",), ()) == (("7", "8"), [])


async def test_the_newest_hundred_channels_are_known_at_the_next_start(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    await database.open()
    try:
        notes = Notes(database, "discord")
        read = Read(notes)
        began = snowflake(1_700_000_000)
        await read.load(began)
        assert read.since == began
        for number in range(130):
            await read.saw(str(number), began + number, private=number % 2 == 0, matters=True)
        await read.saw("40", began + 500, private=True, matters=True)
        await read.saw("unknown", began + 600, private=False, matters=False)
        await read.saw("41", began + 700, private=False, matters=False)
        again = Read(notes)
        await again.load(began + 1000)
        chats = again.chats()
        assert len(chats) == 100
        assert chats[-1] == ("40", began + 500, True)
        assert "unknown" not in {id_ for id_, _last, _private in chats}
        assert again.since == began + 500  # what is noted may lag behind
        await again.load(began + 400)
        assert again.since == began + 400  # the clock was wrong when it was noted
    finally:
        await database.close()
