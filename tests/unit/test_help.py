"""The help: the same pages in both languages, links that lead somewhere, the words of the program."""

import re
from pathlib import Path

import click
import pytest

from desktop.cli.app import COMMANDS, build
from desktop.cron.reminders.understand import Reminder, understand
from desktop.errors import AppError
from desktop.help import TOPICS, HelpPage, page, pages, topic_of
from desktop.text import LANGUAGES
from tests.unit.test_words import RETIRED, RETIRED_CHINESE, retired

ROOT = Path(__file__).parent.parent.parent
_heading = re.compile(r"^#+ ", re.MULTILINE)
_link = re.compile(r"\]\(([^)]+)\)")
_code = re.compile(r"`[^`]*`|^    .*$", re.MULTILINE)
NOW = 1_796_000_000.0
EVERY = [(code, topic) for code in LANGUAGES for topic in TOPICS]


def levels(text: str) -> list[str]:
    return _heading.findall(_code.sub("", text))


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_language_has_every_page_and_no_other(code: str) -> None:
    files = {path.name for path in (ROOT / "resources/help" / code).iterdir()}
    assert files == {f"{topic}.md" for topic in TOPICS}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_has_the_same_headings_tables_and_links_in_both_languages(topic: str) -> None:
    english, chinese = (page(topic, code).text for code in LANGUAGES)
    assert levels(english) == levels(chinese)
    assert levels(english)[0] == "# "
    assert _link.findall(english) == _link.findall(chinese)
    assert english.count("\n|") == chinese.count("\n|")
    assert english.count("\n- ") == chinese.count("\n- ")


@pytest.mark.parametrize(("code", "topic"), EVERY)
def test_every_link_leads_to_a_page(code: str, topic: str) -> None:
    for address in _link.findall(page(topic, code).text):
        assert topic_of(address) or address.startswith("https://"), address


def test_no_page_uses_a_retired_word() -> None:
    for code, table in (("en", RETIRED), ("zh_CN", RETIRED_CHINESE)):
        texts = [(one.topic, _code.sub("", one.text)) for one in pages(code)]
        assert retired(texts, table) == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_page_of_the_command_line_names_every_command(code: str) -> None:
    named = " ".join(re.findall(r"`([^`]*)`", page("command-line", code).text)).split()
    commands = {name for names in COMMANDS.values() for name in names.split()} - {"agent"}
    assert commands <= set(named)


def test_every_page_is_short() -> None:
    for code in LANGUAGES:
        for one in pages(code):
            assert len(one.text.splitlines()) <= 60, one.topic


def test_a_page_is_found_by_its_name_or_title() -> None:
    assert page("files", "en") == page("Files and attachments", "en") == page("files.md", "en")
    assert page("文件与附件", "zh_CN").topic == "files"
    with pytest.raises(AppError, match=r"no help topic shortcut\. Did you mean shortcuts"):
        page("shortcut", "en")


def test_a_page_has_all_words_or_none() -> None:
    one = HelpPage("dogs", "Dogs", "# Dogs\n\n- A terrier digs.\n- A beagle sniffs.\n")
    assert one.line_with(["beagle"]) == "A beagle sniffs."
    assert one.line_with(["digs", "sniffs"]) == "A terrier digs."
    assert one.line_with(["beagle", "purrs"]) is None


def test_only_pages_that_are_there_can_be_linked() -> None:
    assert topic_of("files.md") == "files"
    for other in ("files", "cats.md", "../start.md", "https://example.com/start.md", ""):
        assert topic_of(other) == ""


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_reminders_that_a_page_shows_are_understood(code: str) -> None:
    text = page("tasks", code).text
    quoted = re.search("“([^”]*)”", text)
    typed = re.search("`nanobot-desktop remind ([^`]*)`", text)
    assert quoted is not None
    assert typed is not None
    assert isinstance(understand(quoted[1], NOW, "Europe/Berlin"), Reminder)
    assert isinstance(understand(typed[1], NOW, "Europe/Berlin", meant=True), Reminder)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_commands_that_a_page_shows_are_there(code: str) -> None:
    app = build()
    for one in pages(code):
        for shown in re.findall(r"nanobot-desktop ([a-z][^`\n]*)", one.text):
            command: click.Command | None = app
            for word in shown.split():
                if isinstance(command, click.Group):
                    command = command.get_command(click.Context(command), word)
                assert command is not None, shown
                if word.startswith("--"):
                    assert word in {name for option in command.params for name in option.opts}, shown
