"""The window opens without what only a message needs."""

import subprocess
import sys


def test_markdown_and_colours_are_imported_when_first_needed() -> None:
    heavy = ("markdown_it", "linkify_it", "pygments", "asyncio")
    code = f"import sys, desktop.ui.conversation.view; print([n for n in {heavy!r} if n in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"
