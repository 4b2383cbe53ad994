"""The page of how the program looks and speaks."""

from pydantic import Field

from desktop.config.base import Section


class Appearance(Section):
    """How the program looks and speaks."""

    language: str = Field(
        default="",
        title="Language",
        description="en or zh_CN. Empty: the system's language.",
        max_length=20,
    )
