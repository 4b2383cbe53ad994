"""What a sound file is, and how long it lasts."""

import struct

import pytest

from desktop.providers.speech.sound import look, may_be
from tests.servers.speaking import encoded, hour, silence

pytestmark = pytest.mark.machine
"""espeak-ng speaks."""


@pytest.mark.parametrize("kind", ["ogg", "vorbis", "flac", "mp3", "wav", "silk", "amr"])
def test_a_file_is_known_by_its_bytes_and_tells_its_length(kind: str) -> None:
    found = look(encoded(kind))
    spoken = look(encoded("wav")).seconds
    assert found.kind == {"vorbis": "ogg"}.get(kind, kind)
    assert spoken is not None
    assert found.seconds == pytest.approx(spoken, abs=0.2)


def test_a_movie_box_and_the_frames_of_amr_tell_their_length() -> None:
    box = b"mvhd" + bytes(12) + struct.pack(">II", 1000, 61_500)
    m4a = struct.pack(">I", 20) + b"ftypM4A " + bytes(8) + struct.pack(">I", len(box) + 4) + box
    assert (look(m4a).kind, look(m4a).seconds) == ("m4a", 61.5)
    amr = b"#!AMR\n" + (b"\x3c" + bytes(31)) * 50
    assert (look(amr).kind, look(amr).seconds) == ("amr", 1.0)


@pytest.mark.parametrize("kind", ["ogg", "vorbis", "flac", "mp3", "wav", "silk", "amr"])
def test_what_is_cut_off_or_made_to_mislead_is_looked_at_without_an_error(kind: str) -> None:
    whole = encoded(kind)
    for length in range(64):
        look(whole[:length])
    for at in range(0, 256, 3):
        look(whole[:at] + b"\xff" * 8 + whole[at + 8 : 4096])
        look(whole[:at] + b"\0" * 8 + whole[at + 8 : 4096])


def test_an_hour_is_told_without_decoding_it() -> None:
    assert look(hour()).seconds == 3600
    assert look(silence(3600)).seconds == pytest.approx(3600, abs=1)


def test_only_names_of_sounds_are_worth_a_look() -> None:
    assert may_be("Voice.OGG")
    assert not may_be("report.pdf")
