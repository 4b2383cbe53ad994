"""The first quarter of an hour: a model is chosen, asked, stopped; the window closed, opened, ended; and
everything is there again."""

import re

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window
from tests.stories.program import Program
from tests.stories.window.talk import ask, listed, messages, rest

LONG = "Write a long story about a robot that lives in a lighthouse. Use at least three hundred words."
SHORT = "What is the capital of France?"


def longer_than(window: Window, length: int) -> str:
    """The newest answer, once it is longer than this."""

    def look() -> str | None:
        texts = messages(window)
        return texts[-1] if texts and len(texts[-1]) > length else None

    return window.until(look, f"an answer of more than {length} characters", 120)


def test_from_an_empty_home_to_a_conversation_that_is_there_again(with_model: Program, desk: Desk) -> None:
    before = len(desk.notifications())
    with_model.cold = True  # as it is for a person
    with running_window(with_model) as window:
        window.wait("Choose your model")
        desk.screenshot("first-run")
        window.press(re.compile("^Use: "))
        window.gone("Choose your model")
        window.wait("Message", states="focused")  # what is typed now is a question, not a search

        ask(window, LONG)
        begun = longer_than(window, 30)
        desk.screenshot("first-run-stream-1")
        grown = longer_than(window, len(begun) + 60)
        desk.screenshot("first-run-stream-2")
        assert window.find("Stop"), "it is still being answered"
        window.press("Stop")
        window.wait("Stopped")
        rest(window)
        kept = messages(window)[-1]
        assert len(kept) >= len(grown)

        ask(window, SHORT)
        window.wait_text("Nanobot", "Paris")
        rest(window)
        answer = messages(window)[-1]
        desk.screenshot("first-run-second-answer")
        transcript = window.text("Transcript")

        desk.close_active(TITLE)
        window.gone(TITLE, "frame")
        desk.wait_notification("Nanobot is still running", before)
        icon = desk.tray(window.pid)
        icon.click()
        window.wait(TITLE, "frame")
        assert messages(window)[-1] == answer
        desk.close_active(TITLE)
        window.gone(TITLE, "frame")
        icon.choose("Quit")
        assert window.process.wait(60) == 0
    desk.run("dunstify", "The end")
    desk.wait_notification("The end", before)
    ours = [each for each in desk.notifications()[before:] if each.title == "Nanobot is still running"]
    assert len(ours) == 1, "said once"

    with running_window(with_model) as window:
        title = LONG[:59] + "…"
        window.until(lambda: listed(window) == ["Today", title], "the conversation is listed")
        window.wait(title, "label")
        window.wait_text("Transcript", SHORT)
        window.until(lambda: window.text("Transcript") == transcript, "all that was said is there")
        window.wait_text("Nanobot", answer)
        desk.screenshot("first-run-again")
