"""The settings over a real core in an empty home."""

from tests.ui.settings.conftest import window

__all__ = ["window"]
