"""Pictures of a widget in both languages, light and dark, to be looked at, with NANOBOT_TEST_SHOTS."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.words import speak


def take(widget: QWidget, name: str, monkeypatch: pytest.MonkeyPatch, settle: Callable[[], object]) -> None:
    """Save them; `settle` waits until the widget has read its words anew."""
    folder = os.environ.get("NANOBOT_TEST_SHOTS")
    if not folder:
        return
    with monkeypatch.context() as here:
        for language in ("en", "zh_CN"):
            here.setenv("NANOBOT_DESKTOP_LANGUAGE", language)
            speak(language)
            settle()
            for look in ("light", "dark"):
                theme().choose(look, "")
                widget.grab().save(str(Path(folder) / f"{name}-{language}-{look}.png"))
        theme().choose("", "")
    speak("en")
