"""Matrix's events as messages, and ours as events."""

from typing import Any

import pytest

from desktop.channels.markup.matrix import LONGEST, MARKUP, size
from desktop.channels.markup.split import pieces
from desktop.channels.matrix.incoming import Answered, Me, Place, answers, is_message, received
from desktop.channels.matrix.outgoing import edit, once, related
from desktop.channels.message import Address, Part, Received, Sending

ME = Me("@nano:nano.test", "Nano Bot")
ROOM = Place("!room:nano.test", private=False, name=lambda user: user[1:].partition(":")[0])


def event(body: str, **more: object) -> dict[str, Any]:
    content = {"msgtype": "m.text", "body": body} | more
    return {
        "type": "m.room.message",
        "event_id": "$1",
        "sender": "@alice:nano.test",
        "origin_server_ts": 1500,
        "content": content,
    }


def read(body: str, answered: Answered | None = None, *, to_all: bool = False, **more: object) -> Received:
    made = event(body, **more)
    return received(made, ROOM, ME, answered or Answered(), proved=True, to_all=to_all)


def reply(to: str = "$0") -> dict[str, Any]:
    return {"m.relates_to": {"m.in_reply_to": {"event_id": to}}}


@pytest.mark.parametrize(
    ("body", "more", "text"),
    [
        ("Nano Bot: hello", {}, "hello"),
        ("nano bot, hello", {}, "hello"),
        ("nano: hello", {}, "hello"),
        ("@nano hello", {}, "hello"),
        ("Nano Bot hello", {"m.mentions": {"user_ids": ["@nano:nano.test"]}}, "hello"),
        ("@nano:nano.test hello", {}, "hello"),
        ("[Nano Bot](https://matrix.to/#/@nano:nano.test) hello", {}, "hello"),
        (
            "ask Nano",
            {"formatted_body": '<a href="https://matrix.to/#/%40nano%3Anano.test">x</a>'},
            "ask Nano",
        ),
        ("hello, @nano", {}, "hello, @nano"),
    ],
)
def test_a_mention_is_for_the_bot_and_no_part_of_the_text(body: str, more: Any, text: str) -> None:
    found = read(body, **more)
    assert (found.mentioned, found.text) == (True, text)


@pytest.mark.parametrize(
    "body", ["nano is a unit", "a nano bot: hello", "nanosecond: hello", "@nanobot hi"]
)
def test_a_name_in_a_sentence_is_no_mention(body: str) -> None:
    found = read(body)
    assert (found.mentioned, found.text) == (False, body)


def test_everybody_is_meant_only_where_that_is_wanted() -> None:
    everybody: dict[str, Any] = {"m.mentions": {"room": True}}
    nobody: dict[str, Any] = {"m.mentions": {}}
    assert not read("@room hello", **everybody).mentioned
    assert read("@room hello", to_all=True, **everybody).mentioned
    assert not read("@room hello", to_all=True, **nobody).mentioned


def test_a_reply_says_what_it_answers_by_the_message_itself() -> None:
    body = "> <@mallory:nano.test> forged\n> more\n\nyes abcd"
    others = read(body, Answered("@mallory:nano.test", "Say yes"), **reply())
    assert (others.text, others.quoted, others.mentioned) == ("yes abcd", "Say yes", False)
    ours = read(body, Answered(ME.user, "May I?"), **reply())
    assert (ours.text, ours.quoted, ours.mentioned) == ("yes abcd", "", True)
    gone = read(body, **reply())
    assert (gone.text, gone.quoted) == ("yes abcd", "forged\nmore")
    assert read("> said\n\nby me", **reply()).text == "> said\n\nby me"


def test_a_thread_is_in_the_address_and_what_it_names_for_old_apps_is_no_reply() -> None:
    relation = {"rel_type": "m.thread", "event_id": "$root", "m.in_reply_to": {"event_id": "$0"}}
    fallback = event("hello", **{"m.relates_to": relation | {"is_falling_back": True}})
    assert answers(fallback) == ""
    assert answers(event("hello", **{"m.relates_to": relation})) == "$0"
    related_: dict[str, Any] = {"m.relates_to": relation}
    assert read("hello", **related_).where == Address("matrix", ROOM.id, "$root")


def test_relations_that_are_none_are_left_out() -> None:
    odd: dict[str, Any] = {"m.relates_to": {"m.in_reply_to": "$0"}}
    assert answers(event("hello", **odd)) == ""
    assert read("hello", **odd).text == "hello"


@pytest.mark.parametrize(
    "made",
    [
        event("hello") | {"sender": ME.user},
        event("hello", msgtype={"m.text": 1}),
        event("hello", msgtype="m.notice"),
        event("* hello", **{"m.relates_to": {"rel_type": "m.replace", "event_id": "$0"}}),
        event("hello") | {"type": "m.room.topic"},
        event("verify", msgtype="m.key.verification.request"),
        event("hello") | {"content": "broken"},
        event("hello", **{"m.relates_to": "broken"}) | {"type": "m.reaction"},
    ],
)
def test_what_is_no_message_of_somebody_else_is_left(made: dict[str, Any]) -> None:
    assert not is_message(made, ME.user)


def test_a_file_has_its_name_and_a_caption_is_the_text() -> None:
    plain = read("cat.png", msgtype="m.image", url="mxc://nano.test/a", info={"size": 7})
    assert (plain.text, plain.files[0].name, plain.files[0].size) == ("", "cat.png", 7)
    captioned = read("Look", msgtype="m.image", filename="cat.png", url="mxc://nano.test/a", info=None)
    assert (captioned.text, captioned.files[0].name) == ("Look", "cat.png")
    broken = read("", msgtype="m.file", info="broken")
    assert (broken.files[0].name, broken.files[0].size) == ("file", 0)


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("**bold** and *italic*", "<p><strong>bold</strong> and <em>italic</em></p>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        ("~~gone~~", "<p><del>gone</del></p>"),
        ("## Title", "<h2>Title</h2>"),
        ("- one\n- two", "• one<br>\n• two<br>"),
        ("- one\n  1. inner", "• one<br>\n\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}1. inner<br>"),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        ("```py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1</code></pre>'),
        ("[a](https://x.org/?a=1&b=2)", '<p><a href="https://x.org/?a=1&amp;b=2">a</a></p>'),
        ("<b>no tag</b> & more", "<p>&lt;b&gt;no tag&lt;/b&gt; &amp; more</p>"),
        ("one\ntwo", "<p>one<br>two</p>"),
        ("---", "<hr>"),
    ],
)
def test_markdown_as_matrix_reads_it(text: str, markup: str) -> None:
    [(written, _plain)] = pieces(text, MARKUP, LONGEST)
    assert written == markup


def test_every_part_fits_into_an_event_also_as_an_edit_and_encrypted() -> None:
    import json

    text = "\n\n".join(f'"{number}" \\ 字 <b> & 😀 ' * 40 for number in range(200))
    found = pieces(text, MARKUP, LONGEST)
    assert len(found) > 2
    for pair in found:
        assert size(*pair) <= LONGEST
        content = edit("$1", Sending(Address("matrix", "!r"), Part(*pair), "1-0"))
        assert len(json.dumps(content)) * 4 / 3 < 60_000


def test_each_try_of_a_part_has_one_name_and_others_have_another() -> None:
    sending = Sending(Address("matrix", "!r"), Part("<p>a</p>", "a"), "7-0")
    assert once(sending, "salt") == once(sending, "salt")
    others = (
        once(sending, "pepper"),
        once(sending, "salt", "$edited"),
        once(Sending(sending.where, sending.part, "7-1"), "salt"),
        once(Sending(sending.where, Part("", "b"), "7-0"), "salt"),
    )
    assert len({once(sending, "salt"), *others}) == 5
    assert once(Sending(sending.where, sending.part, ""), "salt") is None


def test_an_answer_is_in_its_thread_and_in_groups_below_its_question() -> None:
    in_thread = Sending(Address("matrix", "!r", "$root"), Part("", "a"), "1-0", "$q")
    assert related(in_thread, group=False)["m.relates_to"]["event_id"] == "$root"
    plain = Sending(Address("matrix", "!r"), Part("", "a"), "1-0", "$q")
    assert related(plain, group=False) == {}
    assert related(plain, group=True) == {"m.relates_to": {"m.in_reply_to": {"event_id": "$q"}}}
