"""Frames survive any cutting of the bytes they travel in."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from desktop import frames

OBJECTS = st.lists(st.dictionaries(st.text(max_size=5), st.text() | st.integers(), max_size=3), max_size=5)


@given(OBJECTS, st.integers(min_value=1, max_value=50))
def test_objects_come_out_as_they_went_in(objects: list[dict[str, object]], step: int) -> None:
    wire = b"".join(frames.pack(value) for value in objects)
    splitter = frames.Splitter()
    found = [one for at in range(0, len(wire), step) for one in splitter.feed(wire[at : at + step])]
    assert found == objects


@given(OBJECTS)
def test_a_blocking_reader_gets_the_same_and_then_none(objects: list[dict[str, object]]) -> None:
    stream = io.BytesIO(b"".join(frames.pack(value) for value in objects))
    assert [json.loads(frames.read(stream) or b"") for _ in objects] == objects
    assert frames.read(stream) is None


def test_a_frame_that_is_cut_is_none() -> None:
    assert frames.read(io.BytesIO(frames.pack({"op": "stream"})[:-1])) is None
    assert frames.read(io.BytesIO(b"\x00\x00")) is None
