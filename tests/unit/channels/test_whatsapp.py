"""WhatsApp's ids, marks and failures, without its process."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop.channels.channel import NotDelivered, Slower
from desktop.channels.markup.split import pieces
from desktop.channels.markup.whatsapp import MARKUP
from desktop.channels.notes import Notes
from desktop.channels.whatsapp import account
from desktop.channels.whatsapp.failures import call_failed, ended
from desktop.channels.whatsapp.people import People
from desktop.config.channels.whatsapp import Whatsapp
from desktop.database.database import Database
from desktop.errors import AppError, ConfigError
from desktop.services.service import SignInNeeded, only_the_person_helps


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("+49 170 1234567", "491701234567"),
        ("0049 (170) 123-4567", "491701234567"),
        ("491701234567@s.whatsapp.net", "491701234567"),
        (" 491701234567 ", "491701234567"),
        ("10000000000007@lid", "10000000000007@lid"),
        ("*", "*"),
        ("120363000000000001@g.us", "120363000000000001@g.us"),
        ("", ""),
    ],
)
def test_a_number_means_the_same_however_it_is_typed(typed: str, meant: str) -> None:
    settings = Whatsapp.model_validate({"owner": typed, "allowFrom": [typed]})
    assert (settings.owner, settings.allow_from) == (meant, (meant,))


def test_tables_and_quotes_are_drawn_with_the_marks_that_there_are() -> None:
    text = "| a | b |\n|---|---|\n| 1 | `2` |\n\n> said\n> twice\n\n1. one\n2. *two*"
    [(written, _plain)] = pieces(text, MARKUP, 4000)
    assert written == "```a | b\n--+--\n1 | 2```\n\n> said\n> twice\n\n1. one\n2. _two_"


@pytest.fixture
async def notes(tmp_path: Path) -> AsyncIterator[Notes]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield Notes(database, "whatsapp")
    await database.close()


async def test_pairs_are_learned_kept_and_replaced(notes: Notes) -> None:
    people = People(notes, lambda: {"55@lid": "+4955"})
    assert await people.id("7@lid") == "7@lid"
    assert await people.chat("7@lid") == "7@lid"
    await people.learn("7@lid", "4917@s.whatsapp.net")
    assert await people.id("7@lid") == await people.id("4917:3@s.whatsapp.net") == "4917"
    assert await people.chat("7@lid") == "4917@s.whatsapp.net"
    assert "7@lid" in await people.names("4917@s.whatsapp.net")
    again = People(people._notes, dict)
    assert await again.id("7@lid") == "4917"
    await again.learn("4918@s.whatsapp.net", "7@lid")
    assert await again.id("7@lid") == "4918"
    assert await people.id("55@lid") == "4955"


@pytest.mark.parametrize(
    ("kind", "detail", "wanted"),
    [
        ("SendMessageError", "server returned error 463", NotDelivered),
        ("SendMessageError", "server returned error 429", Slower),
        ("DownloadError", "download failed with status code 404", NotDelivered),
        ("FileNotFoundError", "gone.txt", NotDelivered),
        ("SendMessageError", "websocket not connected", AppError),
    ],
)
def test_a_call_that_fails_is_tried_again_where_that_helps(
    kind: str, detail: str, wanted: type[Exception]
) -> None:
    error = call_failed(kind, detail)
    assert isinstance(error, wanted)
    assert isinstance(error, NotDelivered | Slower) == (wanted is not AppError)


@pytest.mark.parametrize("why", ["logged_out", "replaced", "banned", "outdated", "missing"])
def test_what_only_the_person_can_mend_stops_the_tries(why: str) -> None:
    error = ended(why, "60")
    assert only_the_person_helps(error)
    assert error.remedy
    assert isinstance(error, SignInNeeded if why == "logged_out" else ConfigError)


@pytest.mark.parametrize("why", ["lost", "unreachable", "refused", "something new"])
def test_all_else_is_tried_again(why: str) -> None:
    assert not only_the_person_helps(ended(why, "x"))


def test_a_database_that_is_none_is_no_sign_in(tmp_path: Path) -> None:
    assert account.found(tmp_path) is None
    (tmp_path / "account.db").write_bytes(b"no database at all" * 100)
    assert account.found(tmp_path) is None
    (tmp_path / "account.db").unlink()
    with closing(sqlite3.connect(tmp_path / "account.db")) as database, database:
        database.execute("CREATE TABLE whatsmeow_device (jid TEXT, push_name TEXT)")
    assert account.found(tmp_path) is None
    account.forget(tmp_path)
    account.forget(tmp_path)
    assert not tmp_path.exists()
