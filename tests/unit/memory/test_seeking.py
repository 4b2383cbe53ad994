"""Search in the history finds what a look at every entry finds, among very many."""

import time

from hypothesis import given
from hypothesis import strategies as st

from desktop.memory.entries import Entry
from desktop.memory.word_search import Seeker

TEXTS = st.text(st.sampled_from("abA äÄ茶é\n\0ß"), max_size=12)


@given(st.lists(TEXTS, max_size=30), st.lists(TEXTS, max_size=30), TEXTS)
def test_it_finds_what_a_look_at_each_finds(first: list[str], more: list[str], query: str) -> None:
    entries = [Entry(at, "", text) for at, text in enumerate(first)]
    seeker = Seeker(piece=4)
    seeker.find(entries, "a", 1)
    for texts in ([], more):
        entries = [*entries, *(Entry(len(entries) + at, "", text) for at, text in enumerate(texts))]
        words = query.casefold().replace("\0", " ").split()
        expected = [
            entry.cursor
            for entry in reversed(entries)
            if all(word in entry.content.casefold().replace("\0", " ") for word in words)
        ]
        assert [entry.cursor for entry in seeker.find(entries, query, 1000)] == expected


def test_a_hundred_thousand_entries() -> None:
    words = ["apple", "bread", "绿茶", "Lisbon", "meeting", "train"]
    entries = [
        Entry(at, "", f"- Entry {at} about {words[at % 6]} and {words[at % 5]}. " * 5)
        for at in range(100_000)
    ]
    seeker = Seeker()
    assert [e.cursor for e in seeker.find(entries, "entry 31 lisbon", 5)]
    begun = time.perf_counter()
    seeker.find(entries, "nowhere to be found", 20)
    assert [e.cursor for e in seeker.find(entries, "99999 meeting", 20)] == [99_999]
    assert seeker.find(entries, "entry 7 ", 20)
    print(f"three searches of 100,000 entries: {1000 * (time.perf_counter() - begun):.0f} ms")
