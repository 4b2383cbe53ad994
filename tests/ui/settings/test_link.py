"""Linking WhatsApp in its card: codes to scan one after another, a code for a number, and the end of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.ui.panels.channels.card import AppCard
from desktop.ui.panels.channels.link import Link
from desktop.ui.panels.channels.panel import ChannelsPanel
from desktop.ui.settings.window import SettingsWindow
from tests.channels.loopback import InThread
from tests.channels.whatsapp_server import ALICE, BOT, CODES, WhatsAppServer, reachable
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.reading import complaint, enter, named, press, shown, write


@pytest.fixture
def peer() -> Iterator[InThread[WhatsAppServer]]:
    with InThread(WhatsAppServer()) as peer, reachable(peer.server.port):
        peer.server.linked = False
        yield peer


@pytest.fixture
def card(window: SettingsWindow, running: Running) -> AppCard:
    window.open_page("channels")
    running.settle()
    panel = next(part for view in window.views for part in view.parts if isinstance(part, ChannelsPanel))
    found = panel.cards["whatsapp"]
    press(found, "Details of WhatsApp")
    running.settle()
    return found


def link_of(card: AppCard) -> Link:
    assert card.details is not None
    assert card.details.link is not None
    return card.details.link


def test_the_risk_is_told_before_a_code_can_be_had(card: AppCard) -> None:
    assert "may suspend or ban the account" in shown(card)
    assert not link_of(card).qr.isVisible()


def test_codes_are_shown_one_after_another_and_the_phone_takes_one(
    card: AppCard,
    window: SettingsWindow,
    running: Running,
    peer: InThread[WhatsAppServer],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    link = link_of(card)
    press(card, "Show QR code")
    qtbot.waitUntil(lambda: peer.server.connected, timeout=20_000)
    peer.do(lambda there: there.show_code(CODES[0]))
    qtbot.waitUntil(link.qr.isVisible)
    assert "Linked devices" in shown(card)
    assert "Valid for 60 s" in shown(card)
    assert "Show QR code" not in shown(card)
    first = link.qr.image.copy()
    window.resize(1280, 1400)
    take(window, "link-code", monkeypatch, lambda: qtbot.wait(50))
    peer.do(lambda there: there.show_code(CODES[1]))
    qtbot.waitUntil(lambda: link.qr.image != first)
    qtbot.waitUntil(lambda: "Valid for 20 s" in shown(card))
    peer.do(lambda there: there.scan())
    qtbot.waitUntil(lambda: f"Linked to +{BOT}." in shown(card), timeout=20_000)
    qtbot.waitUntil(lambda: "private file of this computer" in shown(card))
    running.settle()
    assert not link.qr.isVisible()
    assert "Unlink" in shown(card)
    take(window, "link-linked", monkeypatch, running.settle)
    assert (running.home.channels / "whatsapp" / "account.db").stat().st_mode & 0o077 == 0
    turn_on(card, running, qtbot)
    unlink(card, running, peer, qtbot)


def turn_on(card: AppCard, running: Running, qtbot: QtBot) -> None:
    running.wait(running.core.staying())
    card.switch.click()
    qtbot.waitUntil(lambda: card.app.state == "running", timeout=20_000)
    assert "enter your phone number below" in shown(card)
    yours = named(card, "You")
    write(yours, f"+{ALICE[:2]} {ALICE[2:]}")
    enter(yours)
    qtbot.waitUntil(lambda: running.core.store.config.channels.whatsapp.owner == ALICE)


def unlink(card: AppCard, running: Running, peer: InThread[WhatsAppServer], qtbot: QtBot) -> None:
    press(card, "Unlink WhatsApp")
    assert "Unlink this account?" in shown(card)
    press(card.findChildren(Link)[0].outcome, "Unlink")
    qtbot.waitUntil(lambda: "Unlinked." in shown(card), timeout=20_000)
    qtbot.waitUntil(lambda: card.app.state == "needs_sign_in")
    assert not peer.server.linked
    assert not (running.home.channels / "whatsapp").exists()
    qtbot.waitUntil(lambda: "Not linked" in shown(card) and "Show QR code" in shown(card))


def test_an_expired_code_can_be_had_anew(
    card: AppCard, peer: InThread[WhatsAppServer], qtbot: QtBot, running: Running
) -> None:
    press(card, "Show QR code")
    qtbot.waitUntil(lambda: peer.server.connected, timeout=20_000)
    peer.do(lambda there: there.show_code(CODES[0]))
    peer.do(lambda there: there.show_code(CODES[1]))
    qtbot.waitUntil(link_of(card).qr.isVisible)
    qtbot.waitUntil(lambda: "The code has expired." in shown(card), timeout=60_000)  # after 20 s of its own
    assert not link_of(card).qr.isVisible()
    press(card, "Get a new code")
    qtbot.waitUntil(lambda: len(peer.server.hellos) == 2, timeout=20_000)
    peer.do(lambda there: there.show_code(CODES[0]))
    qtbot.waitUntil(link_of(card).qr.isVisible)
    press(link_of(card).outcome, "Cancel")
    qtbot.waitUntil(lambda: not peer.server.connected, timeout=20_000)
    running.settle()
    assert "Show QR code" in shown(card)
    assert not (running.home.channels / "whatsapp").exists()


def test_a_number_gets_a_code_to_enter(
    card: AppCard,
    window: SettingsWindow,
    peer: InThread[WhatsAppServer],
    qtbot: QtBot,
    running: Running,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = link_of(card)
    press(card, "Use phone number")
    write(named(card, "Phone number"), "12")
    press(card, "Get a code")
    assert "no phone number" in complaint(card, "Phone number")
    write(named(card, "Phone number"), "+49 (170) 000-0001")
    press(card, "Get a code")
    qtbot.waitUntil(lambda: peer.server.connected, timeout=20_000)
    peer.do(lambda there: there.show_code(CODES[0]))
    qtbot.waitUntil(lambda: named_code(link) == "ABCD-1234", timeout=20_000)
    assert peer.server.phones == [BOT]
    assert not link.qr.isVisible()
    window.resize(1280, 1400)
    take(window, "link-number", monkeypatch, lambda: qtbot.wait(50))
    press(card, "Details of WhatsApp")  # who closes the card, leaves
    qtbot.waitUntil(lambda: not peer.server.connected, timeout=20_000)
    running.settle()


def named_code(link: Link) -> str:
    return link.code.text() if link.code.isVisible() else ""
