"""Pictures in the log are paths; in a request they are data for who can see, and words for who cannot."""

from pathlib import Path

import pytest

from desktop.providers import pictures
from desktop.providers.base import WireRules
from desktop.providers.normalise import Normaliser

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def history(path: Path) -> list[dict[str, object]]:
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "A picture.", "_images": [str(path)]},
    ]


def sent(path: Path, rules: WireRules) -> list[dict[str, object]]:
    normaliser = Normaliser(rules)
    for message in history(path):
        normaliser.feed(message)
    return normaliser.messages()


def test_who_can_see_gets_the_picture_after_the_result(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    *_before, result, shown = sent(path, WireRules(pictures=True))
    assert (result["role"], result["content"]) == ("tool", "A picture.")
    assert shown["role"] == "user"
    assert "data:image/png;base64," in str(shown["content"])


def test_who_cannot_gets_words(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    for rules in (WireRules(), WireRules(text_only=True)):
        last = sent(path, rules)[-1]
        assert "a.png: this model cannot see pictures" in str(last["content"])
        assert "base64" not in str(last)


@pytest.mark.parametrize(
    ("data", "told"),
    [(None, "cannot be read"), (b"text", "not a picture"), (PNG + bytes(pictures.MOST_BYTES), "too large")],
)
def test_what_cannot_be_shown_is_said(tmp_path: Path, data: bytes | None, told: str) -> None:
    path = tmp_path / "a.png"
    if data is not None:
        path.write_bytes(data)
    assert told in str(sent(path, WireRules(pictures=True))[-1]["content"])
