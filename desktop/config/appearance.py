"""The page of how the program looks and speaks."""

from typing import Literal

from pydantic import Field

from desktop.config.base import Section, notes
from desktop.config.loosens import names
from desktop.text import LANGUAGES, mark


class Appearance(Section):
    """How the program looks and speaks."""

    HARMLESS = names("theme contrast language")

    theme: Literal["system", "light", "dark"] = Field(
        default="system",
        title=mark("Theme"),
        description=mark("Light, dark, or the same as the system."),
        json_schema_extra=notes(
            choices={"system": mark("Same as system"), "light": mark("Light"), "dark": mark("Dark")}
        ),
    )
    contrast: Literal["system", "normal", "high"] = Field(
        default="system",
        title=mark("Contrast"),
        description=mark("High contrast uses pure black and white, and stronger borders."),
        json_schema_extra=notes(
            choices={"system": mark("Same as system"), "normal": mark("Normal"), "high": mark("High")}
        ),
    )
    language: str = Field(
        default="",
        title=mark("Language"),
        description=mark("For the window, the terminal and all messages."),
        max_length=20,
        json_schema_extra=notes(choices={"": mark("Same as system"), **LANGUAGES}),
    )
