"""Pictures as phones take them: models that see are shown them as JPEG, by a child that cannot hang or fill
the program."""

import base64
import io
import re
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from desktop.providers import heic, pictures
from desktop.providers.behaviour import WireRules
from tests.unit.providers.samples import HEIC, PNG
from tests.unit.providers.test_pictures import sent

WITHOUT = "import sys; sys.modules['pi_heif'] = None; from desktop.providers.heic import main; main()"


def shown(path: Path) -> Image.Image:
    [packed] = re.findall(
        r"data:image/jpeg;base64,([^'\"]*)", str(sent(path, WireRules(pictures=True))[-1])
    )
    return Image.open(io.BytesIO(base64.b64decode(packed)))


def test_it_is_shown_as_jpeg(tmp_path: Path) -> None:
    (path := tmp_path / "IMG_0001.HEIC").write_bytes(HEIC)
    picture = shown(path)
    assert picture.size == (64, 32)
    left, right = picture.getpixel((4, 16)), picture.getpixel((60, 16))
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    assert left[0] > 180 > 90 > left[2]
    assert right[2] > 150 > 60 > right[0]
    assert pictures.broken([str(path)]) == ([], [])


def test_a_damaged_one_is_said(tmp_path: Path) -> None:
    (path := tmp_path / "a.heic").write_bytes(HEIC[:300])
    assert "broken" in str(sent(path, WireRules(pictures=True))[-1]["content"])
    assert pictures.broken([str(path)]) == (["a.heic"], [])
    path.write_bytes(HEIC)
    assert shown(path).size == (64, 32), "and shown once it is mended"
    path.write_bytes(HEIC[:12] + PNG)
    assert "broken" in str(sent(path, WireRules(pictures=True))[-1]["content"])


def test_as_data_in_a_history_it_is_never_sent() -> None:
    """No server takes it."""
    assert not pictures.sound(f"data:image/heic;base64,{base64.b64encode(HEIC).decode()}")


def test_a_computer_without_the_library_says_so() -> None:
    with pytest.raises(heic.MissingError):
        heic.as_jpeg(HEIC, command=[sys.executable, "-c", WITHOUT])
    assert heic.as_jpeg(HEIC)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    state = (str(tmp_path), 1)
    first = heic.as_jpeg(HEIC, state)
    began = time.process_time()
    assert heic.as_jpeg(b"anything", state) is first
    assert time.process_time() - began < 0.05
