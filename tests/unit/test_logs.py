"""The log: rotating, and blind to secrets in every form they may take."""

import base64
import json
import logging
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import logs

KEY = 'sk-or-v1 a/b+c="sécret\\"'


@pytest.fixture(autouse=True)
def _handlers_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level


def test_a_secret_with_half_a_character_is_masked() -> None:
    logs.mask("\ud83d-secret")
    assert "secret" not in logs.masked("it is \ud83d-secret")


def test_a_secret_is_masked_in_messages_arguments_and_tracebacks(tmp_path: Path) -> None:
    logs.mask(KEY)
    listener = logs.start(tmp_path)
    try:
        raise ValueError(f"refused: {KEY}")
    except ValueError:
        logging.getLogger("desktop.x").exception("with %s", KEY)
    logs.stop(listener)
    text = (tmp_path / "nanobot.log").read_text("utf-8")
    assert "refused: [hidden]" in text
    assert KEY not in text


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        urllib.parse.quote(KEY, safe=""),
        base64.b64encode(KEY.encode()).decode(),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
    ],
    ids=["plain", "url", "base64", "json", "json with letters"],
)
def test_masked_hides_every_form(form: str) -> None:
    logs.mask(KEY)
    assert form not in logs.masked(f"Authorization: {form}!")


def test_short_values_are_no_secrets() -> None:
    logs.mask("none")
    assert logs.masked("none of it") == "none of it"


def test_a_folder_that_cannot_be_made_costs_the_log_not_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    listener = logs.start(tmp_path / "file" / "logs")
    logging.getLogger("desktop.x").warning("goes nowhere")
    logs.stop(listener)
    assert capsys.readouterr().err == ""


def test_a_disk_that_is_full_costs_the_line_not_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nanobot.log").symlink_to("/dev/full")
    listener = logs.start(tmp_path)
    logging.getLogger("desktop.x").warning("has no room")
    logs.stop(listener)
    assert capsys.readouterr().err == ""


def test_of_a_secret_that_begins_like_another_nothing_is_left() -> None:
    logs.mask("beginning-of-one")
    logs.mask("beginning-of-one-and-the-rest-of-another")
    assert "rest" not in logs.masked("the key beginning-of-one-and-the-rest-of-another")
