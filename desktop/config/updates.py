"""Looking for newer versions of the program."""

from typing import Literal

from pydantic import Field

from desktop.config.base import Section, notes
from desktop.config.loosens import names
from desktop.text import mark

WINDOW, ALWAYS, NEVER = "window", "always", "never"


class Updates(Section):
    """Whether it is looked for newer versions."""

    HARMLESS = names("check")

    check: Literal["window", "always", "never"] = Field(
        default="window",
        title=mark("Check for updates"),
        description=mark(
            "Once a day at most, a small file with the newest version is downloaded. Nothing about you, "
            "your computer or your version is sent; the server sees only your IP address, as with any page."
        ),
        json_schema_extra=notes(
            applies="now",
            choices={
                "window": mark("When the window runs"),
                "always": mark("Also without a window"),
                "never": mark("Never"),
            },
        ),
    )
