"""Linking WhatsApp in the window, by the eyes of a screen reader and a camera."""

import re

import pytest

from tests.channels.loopback import InThread
from tests.channels.whatsapp_server import BOT, CODES, WhatsAppServer, environment
from tests.desktop.desk import Desk
from tests.desktop.window import running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import PROGRAM, Program

pytestmark = pytest.mark.skipif(bool(PROGRAM), reason="what is frozen looks for no other library")


@pytest.mark.soak
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_phone_is_linked_in_the_window(
    program: Program, server: ScriptedServer, desk: Desk, language: str
) -> None:
    settings, pages, channels, details, link, picture, linked = {
        "en": (
            *("Settings", "Pages", "Channels", "Details of WhatsApp", "Link WhatsApp by a QR code"),
            *("QR code for the phone", "Linked to"),
        ),
        "zh_CN": (
            *("设置", "页面", "渠道", "WhatsApp 的详情", "用二维码关联 WhatsApp"),
            *("供手机扫描的二维码", "已关联到"),
        ),
    }[language]
    program.use_server(server.url)
    program.environment["NANOBOT_DESKTOP_LANGUAGE"] = language
    with InThread(WhatsAppServer()) as peer:
        peer.server.linked = False
        program.environment |= environment(peer.server.port)
        with running_window(program) as window:
            window.press(settings, "push button")
            window.select(channels, within=pages)
            window.press(details)
            window.press(link)
            window.until(lambda: peer.server.connected or None, "the process to connect")
            peer.do(lambda there: there.show_code(CODES[0]))
            window.wait(picture)
            desk.screenshot(f"link-{language}")
            peer.do(lambda there: there.scan())
            window.wait(re.compile(f"{linked}.*{BOT}"))
            desk.screenshot(f"linked-{language}")
