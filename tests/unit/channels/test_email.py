"""What of a mail is believed, and what of it is read."""

from email.message import EmailMessage

import pytest

from desktop.channels.email import body, letter
from desktop.channels.email.hosts import hosts_of
from desktop.channels.email.html import text_of
from desktop.channels.email.outgoing import Thread, compose
from desktop.channels.email.proof import Proof, proof
from desktop.channels.markup.mail import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Address, Part, Sending
from desktop.config.channels.email import Email

HERE = ("mx.here.example", ".google.com")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("mx.here.example; dkim=pass header.d=a.example", Proof.PROVED),
        ("MX.here.example 1; dkim=pass (2048-bit key) header.d=A.example", Proof.PROVED),
        ("mx.google.com; dkim=pass header.i=@a.example header.s=x; spf=fail", Proof.PROVED),
        ("mx.here.example; dkim=fail; spf=pass smtp.mailfrom=bob@a.example", Proof.PROVED),
        ("mx.here.example; dmarc=pass (p=REJECT) header.from=a.example", Proof.PROVED),
        ("mx.here.example; dkim=pass header.d=example", Proof.FAILED),
        ("mx.here.example; dkim=pass header.d=b.example", Proof.FAILED),
        ("mx.here.example; dkim=pass header.d=xa.example", Proof.FAILED),
        ("mx.here.example; dkim=pass header.d=sub.a.example", Proof.FAILED),
        ("mx.here.example; dmarc=fail header.from=a.example; dkim=pass header.d=a.example", Proof.FAILED),
        ("mx.here.example; none", Proof.FAILED),
        ("mx.here.example.evil.example; dkim=pass header.d=a.example", Proof.MISSING),
        ("evilgoogle.com; dkim=pass header.d=a.example", Proof.MISSING),
        ("dkim=pass header.d=a.example", Proof.MISSING),
        ("(mx.here.example; dkim=pass header.d=a.example", Proof.MISSING),
        ("", Proof.MISSING),
        # what a sender chose stands in comments and in quotes
        ("mx.here.example; spf=fail (of x); dkim=none (dkim=pass header.d=a.example)", Proof.FAILED),
        (
            'mx.here.example; spf=fail smtp.mailfrom="; dkim=pass header.d=a.example ;"@b.example',
            Proof.FAILED,
        ),
        ('mx.here.example; spf=fail (of ") ; dkim=pass header.d=a.example ("@b.example)', Proof.MISSING),
        ("mx.here.example; spf=fail (of \\) ; dkim=pass header.d=a.example \\()", Proof.FAILED),
    ],
)
def test_a_sender_is_proved_by_the_own_server_alone(header: str, found: Proof) -> None:
    forged = "mx.here.example; dkim=pass header.d=a.example"
    assert proof([header, forged] if header else [], "a.example", Email(), HERE) is found


def test_which_checks_count_is_a_setting() -> None:
    header = ["mx.here.example; dkim=fail; spf=pass smtp.mailfrom=a.example"]
    assert proof(header, "a.example", Email(verify_spf=False), HERE) is Proof.FAILED
    assert proof([], "a.example", Email(verify_spf=False, verify_dkim=False), HERE) is Proof.PROVED


@pytest.mark.parametrize(
    ("field", "sender"),
    [
        ("From: Alice <Alice@A.Example>", "alice@a.example"),
        ("From: alice@a.example", "alice@a.example"),
        ('From: "alice@a.example" <bob@b.example>', "bob@b.example"),
        ("From: alice@a.example, bob@b.example", ""),
        ("From: alice@a.example\nFrom: bob@b.example", ""),
        ("From: =?utf-8?q?alice=40a=2Eexample?=", ""),
        ("From: =?utf-8?q?=3Calice=40a=2Eexample=3E?= <bob@b.example>", "bob@b.example"),
        ("From: <alice@a.example@b.example>", ""),
        ("From: Team: alice@a.example;", "alice@a.example"),
        ("From: undisclosed", ""),
        ("Subject: nothing", ""),
    ],
)
def test_there_is_one_sender_or_none(field: str, sender: str) -> None:
    assert letter.read(1, f"{field}\n\n".encode(), 0, 0.0).sender == sender


def test_a_thread_is_named_by_its_root() -> None:
    first = letter.read(1, b"Message-ID: <1@a>\n\n", 0, 0.0)
    later = letter.read(2, b"Message-ID: <3@a>\nIn-Reply-To: <2@a>\nReferences: <1@a>\n <2@a>\n\n", 0, 0.0)
    assert letter.thread_of(first.root) == letter.thread_of(later.root)
    assert later.references == ("<1@a>", "<2@a>")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, Bot <bot@a.example> wrote:\n> It is.\n> So.\n", "Yes."),
        ("Ja.\n\nAm 01.01.2026 um 10:00 schrieb Bot:\n> So.", "Ja."),
        ("好的。\n\n在 2026年1月1日，Bot <bot@a.example> 写道：\n> 是的", "好的。"),
        ("好的。\n------------------ 原始邮件 ------------------\n发件人: Bot\n是的", "好的。"),
        ("Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, Bot\n<bot@a.example> wrote:\n> It is.", "Yes."),
        ("Yes.\n\n-----Original Message-----\nFrom: Bot\nSent: today\nTo: me\n\nIt is.", "Yes."),
        ("Yes.\n\nFrom: Bot\nSent: today\nTo: me\nSubject: x\n\nIt is.", "Yes."),
        ("> One?\nFirst.\n> Two?\nSecond.", "> One?\nFirst.\n> Two?\nSecond."),
        ("Yes.\n-- \nAlice\nTel. 1", "Yes."),
        ("> only a quote", "> only a quote"),
        ("On Monday he wrote:\nnothing of note", "On Monday he wrote:\nnothing of note"),
    ],
)
def test_what_a_mail_answers_is_cut_off(text: str, kept: str) -> None:
    assert body.without_history(text) == kept


def test_a_long_mail_is_cut_and_an_odd_one_is_read() -> None:
    made = EmailMessage()
    made.set_content("x" * 500)
    text = body.read(body.parsed(made.as_bytes()), Email(max_body_chars=100), whole=False).text
    assert text.startswith("x" * 100 + "\n[")
    odd = b"Content-Type: text/plain; charset=klingon\n\nGr\xc3\xbc\xc3\x9fe"
    assert body.read(body.parsed(odd), Email(), whole=False).text == "Grüße"
    assert body.read(body.parsed(b""), Email(), whole=False).text == ""


def test_what_is_not_seen_in_html_is_not_read() -> None:
    hidden = (
        "<span style='font-size:0'>a</span><p hidden>b</p><i style='DISPLAY : none !important'>c</i>"
        "<script>d</script><!-- e --><template>f</template>seen\u200b words"
    )
    assert text_of(hidden) == "seen words"
    assert text_of("<pre>a\n  b</pre><table><tr><td>1<td>2</table>") == "a\n  b\n\n1 2"
    assert text_of("<a href='javascript:x'>click</a> <a href='https://a.b'>https://a.b</a>") == (
        "click https://a.b"
    )
    assert text_of("one</div></div><div>two<blockquote>three") == "one\ntwo\n\n> three"


def test_markdown_is_html_that_loads_nothing() -> None:
    text = "# T\n\n**b** `<x>` [l](https://a.b)\n\n- one\n- two\n\n```\n<c>\n```\n\n|a|\n|-|\n|<d>|\n\n![i](http://t/x.png)"
    ((html, plain),) = pieces(text, MARKUP, 100_000)
    assert "<h1>T</h1>" in html
    assert "<b>b</b> <code>&lt;x&gt;</code>" in html
    assert '<a href="https://a.b">l</a>' in html
    assert "&lt;c&gt;</pre>" in html
    assert "&lt;d&gt;</td>" in html
    assert "<img" not in html
    assert "• one\n• two" in plain


def test_a_second_try_is_the_same_mail() -> None:
    sending = Sending(Address("email", "alice@a.example", "t"), Part("<p>x</p>", "x"), "7-0", "<1@a>")
    thread = Thread("Tea", ("<1@a>",))
    settings = Email(imap_username="bot@a.example")
    first, second = (compose(sending, thread, settings).message for _try in range(2))
    assert first["Message-ID"] == second["Message-ID"]
    other = compose(Sending(sending.where, sending.part, "7-1", "<1@a>"), thread, settings).message
    assert other["Message-ID"] != first["Message-ID"]


def test_the_servers_of_known_providers_need_not_be_typed() -> None:
    gmail = hosts_of(Email(imap_username="me@gmail.com"))
    assert (gmail.imap, gmail.smtp, gmail.vouches) == (
        "imap.gmail.com",
        "smtp.gmail.com",
        ("mx.google.com",),
    )
    assert "app password" in gmail.remedy
    own = hosts_of(
        Email(imap_username="me@a.example", imap_host="mail.a.example", smtp_host="out.a.example")
    )
    assert (own.imap, own.smtp, own.vouches) == ("mail.a.example", "out.a.example", ())
    assert hosts_of(Email(imap_username="me@a.example")).imap == ""
