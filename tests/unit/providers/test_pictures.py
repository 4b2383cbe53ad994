"""Pictures in the log are paths; in a request they are data for who can see, and words for who cannot."""

import base64
import io
import re
from pathlib import Path

import pytest
from PIL import Image

from desktop.providers import pictures
from desktop.providers.behaviour import WireRules
from desktop.providers.normalise import Normaliser
from desktop.providers.unbroken import unbroken
from tests.unit.providers.samples import GIF, JPEG, PNG, WEBP, png

KINDS = {"png": PNG, "gif": GIF, "webp": WEBP, "jpeg": JPEG}


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
        assert "a.png: this model can't see images" in str(last["content"])
        assert "base64" not in str(last)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "can't be read"),
        (b"text", "not an image"),
        (PNG + bytes(pictures.MOST_BYTES), "too large"),
        (PNG[:-20], "broken"),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "broken"),
        (JPEG[:-40], "broken"),
    ],
)
def test_what_cannot_be_shown_is_said(tmp_path: Path, data: bytes | None, told: str) -> None:
    path = tmp_path / "a.png"
    if data is not None:
        path.write_bytes(data)
    assert told in str(sent(path, WireRules(pictures=True))[-1]["content"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_picture_is_told_from_a_broken_one(kind: str) -> None:
    data = KINDS[kind]
    assert unbroken(kind, data)
    assert unbroken(kind, data + b"\n"), "what comes after its end does no harm"
    for length in range(len(data) - 8):
        assert not unbroken(kind, data[:length]), length
    for noise in (b"", bytes(400), b"\xff" * 400, data[:12] + b"\xff" * 400):
        assert not unbroken(kind, noise)


def test_pixels_that_do_not_unpack_are_broken() -> None:
    for at in range(8, len(PNG) - 12):
        wrong = bytearray(PNG)
        wrong[at] ^= 0x55
        assert not unbroken("png", bytes(wrong)), at


def test_a_bomb_is_not_unpacked_whole() -> None:
    assert unbroken("png", png(20_000, 20_000))


def test_the_programs_own_pictures_are_whole() -> None:
    found = list((Path(__file__).parents[3] / "resources").rglob("*.png"))
    assert all(unbroken("png", path.read_bytes()) for path in found)


def test_a_picture_that_was_mended_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG[:-20])
    assert "broken" in str(sent(path, WireRules(pictures=True))[-1]["content"])
    path.write_bytes(PNG)
    assert "base64" in str(sent(path, WireRules(pictures=True))[-1]["content"])


def photograph(kind: str, width: int, height: int, mode: str = "RGB") -> bytes:
    """Noise, which packs badly; a stripe at its left."""
    picture = Image.effect_noise((width, height), 90).convert(mode)
    picture.paste(Image.new(mode, (width // 4, height), "red"))
    file = io.BytesIO()
    picture.save(file, kind)
    return file.getvalue()


def size(part: object) -> tuple[str, tuple[int, int], int]:
    """Kind, pixels and bytes of the picture in a message."""
    [url] = re.findall(r"data:image/[^']*", str(part))
    data = base64.b64decode(url.partition(",")[2])
    picture = Image.open(io.BytesIO(data))
    return str(picture.format), picture.size, len(data)


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_a_picture_is_made_as_small_as_the_model_wants_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(photograph(kind, 1600, 800))
    rules = WireRules(pictures=True, picture_side=400, picture_bytes=60_000)
    found, pixels, length = size(sent(path, rules)[-1])
    assert pixels[0] <= 400
    assert abs(pixels[0] - 2 * pixels[1]) <= 2, "its form stays"
    assert length <= 60_000
    assert found in ("PNG", "JPEG")


def test_a_small_picture_goes_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(data := photograph("png", 300, 200))
    assert base64.b64encode(data).decode() in str(sent(path, WireRules(pictures=True))[-1])


def test_what_is_seen_through_is_white_where_it_must_become_a_photograph(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    clear = Image.effect_noise((900, 900), 90).convert("RGBA")
    clear.putalpha(Image.new("L", clear.size, 0))
    clear.save(path)
    [url] = re.findall(
        r"data:image/jpeg[^']*", str(sent(path, WireRules(pictures=True, picture_bytes=20_000)))
    )
    picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    assert picture.getpixel((5, 5)) == (255, 255, 255)


def test_a_photograph_stands_upright(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    picture = Image.new("RGB", (1200, 600))
    turned = picture.getexif()
    turned[0x0112] = 6  # to be turned by a quarter
    picture.save(path, exif=turned)
    assert size(sent(path, WireRules(pictures=True, picture_side=300))[-1])[1] == (150, 300)


def test_a_bomb_is_told_and_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(png(20_000, 20_000))
    assert "too large" in str(sent(path, WireRules(pictures=True))[-1]["content"])
