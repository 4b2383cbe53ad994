"""What an MCP server asks in the middle of an answer, in the window: a card with fields."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop.api.reply import Reply
from desktop.ui.conversation.cells.card import ApprovalCard
from desktop.ui.conversation.cells.fields import FormField
from desktop.ui.conversation.questions import Questions
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import load_later_fonts, theme
from tests.servers.scripted import ScriptedServer
from tests.ui.talking import Desk
from tests.ui.test_acting import asked, rest, use

ASKING = str(Path(__file__).parents[1] / "servers" / "mcp" / "asking.py")
TRIP: dict[str, Any] = {
    "message": "I can hold two seats for you until six. Who travels, and how?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name on the ticket", "minLength": 2},
            "mail": {"type": "string", "title": "Where to send it", "format": "email"},
            "row": {"type": "integer", "title": "Row", "minimum": 1, "maximum": 30, "default": 12},
            "side": {
                "type": "string",
                "title": "Side",
                "description": "The aisle is on the left.",
                "oneOf": [{"const": "w", "title": "Window"}, {"const": "a", "title": "Aisle"}],
                "default": "w",
            },
            "extras": {
                "type": "array",
                "title": "Extras",
                "items": {"type": "string", "enum": ["Meal", "Bicycle"]},
                "default": ["Meal"],
            },
            "quiet": {"type": "boolean", "title": "In the quiet coach", "default": True},
        },
        "required": ["name", "side"],
    },
}


@pytest.fixture
def desk(talking: Desk) -> Desk:
    desk = talking
    server = {"command": sys.executable, "args": [ASKING]}
    servers = desk.running.actions.api.servers
    desk.running.wait(servers.save("trains", server, new=True))
    desk.running.wait(servers.accept("trains"))
    return desk


def form_card(desk: Desk, server: ScriptedServer, qtbot: QtBot, params: dict[str, Any]) -> ApprovalCard:
    """The card of a question that the server asks, in an open view; the call itself is allowed first."""
    server.script(use(("mcp_trains_ask", {"params": params})), "say:Booked.")
    view = ConversationView(desk.talk.transcript)
    qtbot.addWidget(view)
    view.resize(760, 900)
    view.show()
    questions: Questions = desk.talk.questions
    view.answered.connect(questions.take)
    desk.open("window:a")
    desk.talk.send("Book two seats to Vienna")
    first = asked(desk).question
    assert first
    questions.take(first.id, Reply(True))

    def shown() -> bool:
        cards = [card for card in view.findChildren(ApprovalCard) if card.isVisible()]
        return any(card.question and card.question.card.get("form") for card in cards)

    qtbot.waitUntil(shown, timeout=20_000)
    [card] = [card for card in view.findChildren(ApprovalCard) if card.isVisible()]
    return card


def field(card: ApprovalCard, name: str) -> FormField:
    return next(one for one in card.form.fields if one.name == name)


def line(card: ApprovalCard, name: str) -> QLineEdit:
    editor = field(card, name).editor
    assert isinstance(editor, QLineEdit)
    return editor


def got(server: ScriptedServer) -> Any:
    messages = server.requests[-1].body["messages"]
    text = [message["content"] for message in messages if message["role"] == "tool"][-1]
    return json.loads(text.partition("]\n")[2].partition("\n[")[0])


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_form_is_filled_in_and_what_is_wrong_is_said_at_its_field(
    desk: Desk, server: ScriptedServer, qtbot: QtBot, look: str
) -> None:
    theme().choose(look)
    load_later_fonts()
    card = form_card(desk, server, qtbot, TRIP)
    assert card.yes.text() == "Send"
    assert not card.always.isVisible()
    assert card.accessibleName().startswith("Permission: Question from an MCP server")
    assert line(card, "row").text() == "12"
    assert line(card, "name").accessibleName() == "Name on the ticket"
    line(card, "mail").setText("nowhere")
    picture(card, f"form-{look}")
    card.yes.click()
    qtbot.waitUntil(lambda: field(card, "name").fault.isVisible(), timeout=10_000)
    assert field(card, "name").fault.text() == "Required."
    assert field(card, "mail").fault.text() == "Enter an email address."
    picture(card, f"form-wrong-{look}")
    line(card, "mail").setText("")
    QTest.keyClicks(line(card, "name"), "Ada")
    QTest.keyClick(line(card, "name"), Qt.Key.Key_Return)
    rest(desk)
    content = {"name": "Ada", "row": 12, "side": "w", "extras": ["Meal"], "quiet": True}
    assert got(server) == {"action": "accept", "content": content}


def picture(card: ApprovalCard, name: str) -> None:
    """Keep what the card looks like, where pictures are wanted."""
    if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
        card.window().grab().save(str(Path(folder) / f"{name}.png"))


def test_no_and_not_now_are_told_apart(desk: Desk, server: ScriptedServer, qtbot: QtBot) -> None:
    card = form_card(desk, server, qtbot, TRIP)
    card.no.click()
    card.say_no.click()
    rest(desk)
    assert got(server) == {"action": "decline"}
    card = form_card(desk, server, qtbot, TRIP)
    card.later.click()
    rest(desk)
    assert got(server) == {"action": "cancel"}
    assert desk.talk.questions.all == [], "it cannot be answered any more"


def test_a_page_and_a_plain_yes_have_their_own_words(
    desk: Desk, server: ScriptedServer, qtbot: QtBot
) -> None:
    page = {"mode": "url", "message": "Pay there", "url": "https://pаy.example/1", "elicitationId": "1"}
    card = form_card(desk, server, qtbot, page)
    assert card.yes.text() == "Open page"
    assert card.question
    assert any("https://xn--" in line for line in card.question.card["lines"]), (
        "nothing looks like it is not"
    )
    card.later.click()
    rest(desk)
    bare = {"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}
    card = form_card(desk, server, qtbot, bare)
    assert card.yes.text() == "Yes"
    card.yes.click()
    rest(desk)
    assert got(server) == {"action": "accept", "content": {}}
