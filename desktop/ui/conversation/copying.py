"""A whole conversation as Markdown, for the clipboard: messages under their authors, calls a line each."""

from collections.abc import Callable, Iterable

from desktop.ui.conversation.step import sentence
from desktop.ui.conversation.transcript import Author, Entry


def as_markdown(entries: Iterable[Entry], name: Callable[[Entry], str]) -> str:
    """What there is to copy."""
    parts: list[str] = []
    in_calls = False
    for entry in entries:
        if entry.step is not None:
            line = f"- {sentence(entry.step)}"
            if in_calls:
                parts[-1] += f"\n{line}"
            else:
                parts.append(line)
        elif entry.author is Author.NOTE:
            parts.append(f"> {entry.text}")
        elif entry.author is Author.BREAK:
            parts.append("---")
        elif entry.text:
            parts.append(f"## {name(entry)}\n\n{entry.text}")
        in_calls = entry.step is not None
    return "\n\n".join(parts) + "\n"
