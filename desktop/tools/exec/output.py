"""What a command printed, as far as a model reads it: bounded while it comes, plain text in the end."""

import re

MOST_CHARACTERS = 10_000
_KEPT_BYTES = 1 << 16
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # a title, a link
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"  # colours, the cursor
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # strings for the terminal
    r"|\x1b[ -/]*[0-~]?"
)
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_CONTROLS = {code: None for code in (*range(32), 127) if chr(code) not in "\t\n"}


class Output:
    """Keeps the beginning and the end of a stream of bytes."""

    def __init__(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._size = 0

    @property
    def size(self) -> int:
        """How many bytes came in all."""
        return self._size

    def feed(self, data: bytes) -> None:
        self._size += len(data)
        room = _KEPT_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room else data
        if len(self._tail) > 4 * _KEPT_BYTES:
            del self._tail[:-_KEPT_BYTES]

    def text(self) -> str:
        """The output as a terminal would show it, its middle left out with a note where it is long."""
        kept = len(self._head) + len(self._tail)
        if kept == self._size:
            text = plain(bytes(self._head + self._tail))
            head = tail = text
            left_out = len(text) - MOST_CHARACTERS
            if left_out <= 0:
                return text
        else:
            head, tail = plain(bytes(self._head)), plain(bytes(self._tail)).lstrip("\ufffd")
            left_out = self._size - MOST_CHARACTERS
        half = MOST_CHARACTERS // 2
        return f"{head[:half]}\n[... about {left_out:,} characters left out ...]\n{tail[-half:]}"


def plain(data: bytes) -> str:
    """Bytes of any kind as text, without colours and without the steps of a progress bar."""
    text = _ESCAPES.sub("", data.decode("utf-8", "replace"))
    lines = re.sub(r"\r+\n", "\n", text).split("\n")
    text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return _OVERSTRUCK.sub("", text).translate(_CONTROLS)
