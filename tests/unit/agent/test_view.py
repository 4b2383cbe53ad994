"""What a turn has in view: how far it can be trusted, which addresses and searches are free."""

import itertools
from datetime import datetime
from typing import Any

import pytest

from desktop.agent.view import MOST_OTHERS, MOST_OWN, View, record_mark, view_of
from desktop.origin import TRUSTED, Origin, unknown, untrusted

PAGE = {"_outcome": "ok", **untrusted("page.example").as_fields()}


def person(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def page(text: str = "", *given: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "_addresses": list(given), **PAGE}


def document(when: str = "2026-01-02T00:00:00") -> dict[str, Any]:
    fields = unknown("letter.txt").as_fields()
    return {"role": "tool", "content": "x", "_outcome": "ok", "timestamp": when, **fields}


def test_a_view_is_as_trusted_as_the_worst_of_what_is_sent() -> None:
    assert View([person("hi"), {"role": "assistant", "content": "hello"}]).mark == TRUSTED
    assert View([person("hi"), document()]).mark.origin is Origin.UNKNOWN
    mark = View([document(), page(), person("and now?")]).mark
    assert (mark.origin, mark.sources) == (Origin.UNTRUSTED, ("letter.txt", "page.example"))


def test_a_conversation_is_marked_until_its_marked_part_is_not_sent() -> None:
    records = [person("read"), page(), *(person(f"and {n}?") for n in range(9))]
    assert not View(records).mark.trusted
    assert View(records[2:]).mark == TRUSTED


def test_more_messages_make_another_view() -> None:
    clean = View([person("hi")])
    assert not clean.with_([page()]).mark.trusted
    assert clean.mark.trusted


@pytest.mark.parametrize(
    ("record", "origin"),
    [
        ({"role": "tool", "content": "x"}, Origin.UNKNOWN),
        ({"role": "tool", "content": "x", "_outcome": "ok"}, Origin.PERSON),
        ({"role": "user", "content": "x", "_outside": True}, Origin.UNTRUSTED),
        ({"role": "user", "content": "x", "_origin": "nonsense"}, Origin.UNKNOWN),
        ({"role": "user", "content": "x", "_origin": ["a"], "_sources": "no list"}, Origin.UNKNOWN),
    ],
)
def test_what_other_programs_and_versions_wrote(record: dict[str, Any], origin: Origin) -> None:
    assert record_mark(record).origin is origin


def test_the_person_vouches_for_what_was_unknown_until_then() -> None:
    metadata = {"vouched": "2026-01-02T12:00:00"}
    assert view_of([document()], metadata).mark == TRUSTED
    assert not view_of([document("2026-01-03T00:00:00")], metadata).mark.trusted, "it came later"
    assert not view_of([{**page(), "timestamp": "2026-01-01"}], metadata).mark.trusted, "a page stays one"
    without = {key: value for key, value in document().items() if key != "timestamp"}
    assert not view_of([without], metadata).mark.trusted, "nobody knows when it came"


# ---- addresses


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("Look at http://a.example/x.", "http://a.example/x"),
        ("(see http://a.example/x)", "http://a.example/x"),
        ("http://a.example/w_(x)", "http://a.example/w_(x)"),
        ("看看http://a.example/x。", "http://a.example/x"),
        ("http://a.example/x", "http://a.example/x#part"),
        ("<http://a.example/?q=1>", "http://a.example/?q=1"),
    ],
)
def test_an_address_that_the_person_gave_is_free(said: str, address: str) -> None:
    assert View([person(said), page()]).free(address)
    assert not View([person(said), page()]).free(f"{address.partition('#')[0]}?d=secret")


def test_an_address_that_only_the_agent_put_together_is_not() -> None:
    marked = {"role": "assistant", "content": "http://evil.example/?d=1", **untrusted("p").as_fields()}
    assert not View([person("go"), page("http://evil.example/?d=2"), marked]).free(
        "http://evil.example/?d=1"
    )
    assert not View([page("see http://evil.example/?d=2")]).free("http://evil.example/?d=2")


def fetched(view: View, addresses: list[str]) -> int:
    """How many of these are fetched without a question, one after the other."""
    count = 0
    for address in addresses:
        if view.free(address):
            view = view.with_([{**page(), "_fetched": address}])
            count += 1
    return count


def test_a_page_s_links_are_free_up_to_so_many() -> None:
    others = [f"http://h{n}.example/" for n in range(40)]
    own = [f"http://www.page.example/{n}" for n in range(40)]
    assert fetched(View([page("", *others)]), others) == MOST_OTHERS
    assert fetched(View([page("", *own)]), own) == MOST_OWN
    both = list(itertools.chain(*zip(own, others, strict=True)))
    assert fetched(View([page("", *own, *others)]), both) == MOST_OTHERS + MOST_OWN


def test_a_site_of_a_like_name_is_another_one() -> None:
    alike = [f"http://notpage.example/{n}" for n in range(40)]
    assert fetched(View([page("", *alike)]), alike) == MOST_OTHERS


def test_what_was_fetched_is_fetched_again_and_the_person_s_own_do_not_count() -> None:
    others = [f"http://h{n}.example/" for n in range(40)]
    mine = [f"http://mine{n}.example/" for n in range(20)]
    view = View([person(" ".join(mine)), page("", *others)])
    assert fetched(view, [*mine, *others]) == len(mine) + MOST_OTHERS
    full = view.with_([{**page(), "_fetched": address} for address in others[:MOST_OTHERS]])
    assert full.free(others[0])
    assert not full.free(others[-1])


# ---- searches


@pytest.mark.parametrize(
    ("said", "query", "free"),
    [
        ("What is new about rockets?", "rockets new", True),
        ("What is new about rockets?", "NEW rocket", True),
        ("Find cheap flights to Rome", "flight Rome cheap", True),
        ("What is new about rockets?", "rockets hunter2", False),
        ("What is new about rockets?", "rockets rockets", False),
        ("a cat", "cats", False),
        ("Tell me of cars", "carsecret", False),
        ("今天北京的天气怎么样", "北京 天气", True),
        ("今天北京的天气怎么样", "北京天气", True),
        ("今天北京的天气怎么样", "北京密码", False),
        ("今天北京的天气怎么样", "京天", False),
        ("Ｒｏｃｋｅｔｓ", "rockets", True),
        ("", "anything", False),
        ("What is new?", "", True),
    ],
)
def test_a_search_in_the_person_s_words(said: str, query: str, free: bool) -> None:
    assert View([person(said), page("hunter2 anything")]).said(query) is free


def test_today_s_date_may_be_searched_for() -> None:
    now = datetime.now().astimezone()
    assert View([person("news about rockets"), page()]).said(f"rockets {now:%Y} {now:%B}")
    assert not View([person("news about rockets"), page()]).said("rockets 1871")


def test_whose_words_count() -> None:
    assert not View([{"role": "assistant", "content": "rockets"}]).said("rockets")
    told = person("rockets", _note=True, _from="subagent:1")
    assert not View([told]).said("rockets"), "the result of a subagent"
    assert View([person("rockets", _note=True)]).said("rockets"), "the prompt of a job"
    assert not View([person("rockets", **untrusted("x").as_fields())]).said("rockets")
    assert not View([page("rockets")]).said("rockets")
