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
        description=mark("Light, dark, or whatever the system uses."),
        json_schema_extra=notes(
            choices={"system": mark("As the system"), "light": mark("Light"), "dark": mark("Dark")}
        ),
    )
    contrast: Literal["system", "normal", "high"] = Field(
        default="system",
        title=mark("Contrast"),
        description=mark("High contrast has pure black and white, and borders that stand out."),
        json_schema_extra=notes(
            choices={"system": mark("As the system"), "normal": mark("Normal"), "high": mark("High")}
        ),
    )
    language: str = Field(
        default="",
        title=mark("Language"),
        description=mark("Of the window, the terminal and every message of the program."),
        max_length=20,
        json_schema_extra=notes(choices={"": mark("As the system"), **LANGUAGES}),
    )
