"""What a person is shown: all of it, nothing hidden; and that a yes is to what was shown, nothing else."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.base import Claim, Effect
from desktop.tools.permissions.card import Card, card, digest
from desktop.tools.permissions.policy import decide
from desktop.tools.permissions.shell import read
from desktop.tools.permissions.visible import one_line, visible
from tests.unit.tools.permissions.conftest import Make


def shown(make: Make, claim: Claim, tool: str = "exec", **more: Any) -> Card:
    at = make.situation(**more)
    return card(tool, claim, '{"a": 1}', at, decide(tool, claim, at), "window")


def test_truncated_display(make: Make) -> None:
    """A huge command is shown whole: what matters may stand at its end."""
    command = "echo " + "a" * 100_000 + "; touch last"
    assert shown(make, make.command(command)).command == command


def test_bidi_is_made_visible(make: Make) -> None:
    assert shown(make, make.command("ls \u202etxt.exe")).command == "ls ⟨U+202E⟩txt.exe"
    assert shown(make, make.command("a\u2066b\u2069")).command == "a⟨U+2066⟩b⟨U+2069⟩"


def test_zero_width_is_made_visible(make: Make) -> None:
    assert (
        shown(make, make.command("l\u200bs\u200d \ufeffx\u00ad")).command
        == "l⟨U+200B⟩s⟨U+200D⟩ ⟨U+FEFF⟩x⟨U+00AD⟩"
    )
    assert visible("a\u2028b\u3164c\ufe0fd\U000e0041") == "a⟨U+2028⟩b⟨U+3164⟩c⟨U+FE0F⟩d⟨U+E0041⟩"


def test_control_characters_are_made_visible(make: Make) -> None:
    assert shown(make, make.command("ls \x1b[2K\rok\x00")).command == "ls ⟨U+001B⟩[2K⟨U+000D⟩ok⟨U+0000⟩"


def test_lines_stay_lines_in_bodies_and_not_in_names(make: Make) -> None:
    claim = Claim(Effect.WRITE, "g", writes=(make.me / "docs" / "a\nb",), body="one\n\ttwo 二　三\n")
    found = shown(make, claim, "write_file")
    assert found.body == "one\n\ttwo 二　三\n"
    assert any("a⏎b" in line for line in found.lines)


def test_a_card_says_everything(make: Make) -> None:
    (make.workspace / "x.sh").write_text("echo")
    claim = make.command("sh x.sh", environment={"A": "b\u202e"}, network=True)
    found = shown(make, claim)
    assert (found.tool, found.effect, found.origin, found.cwd) == (
        "exec",
        "run",
        "window",
        str(make.workspace),
    )
    assert found.environment == (("A", "b⟨U+202E⟩"),)
    assert found.network
    assert found.why
    assert found.title
    assert any("x.sh" in line for line in found.lines)
    assert found.remember == ""
    assert not found.outside
    assert shown(make, claim, outside=True).outside
    assert json.loads(json.dumps(found.as_json())) == found.as_json()


def test_a_card_shows_where_a_link_leads(make: Make) -> None:
    (make.workspace / "out").symlink_to(make.me / "docs")
    found = shown(make, Claim(Effect.READ, "g", reads=(make.workspace / "out" / "a",)), "read_file")
    assert any(str(make.me / "docs" / "a") in line for line in found.lines)


def test_always_like_this_is_offered_in_words(make: Make) -> None:
    assert "git status" in shown(make, make.command("git status -s")).remember
    assert shown(make, make.command("git status -s"), outside=True).remember == ""
    assert shown(make, make.command("ls; ls")).remember == ""


def again(make: Make, claim: Claim) -> str:
    return digest("exec", claim, "{}", make.situation())


@pytest.mark.parametrize(
    "command", ["./x.sh", "sh x.sh", "nice bash -e x.sh", "echo a | sh x.sh", ". ./x.sh", "sh < x.sh"]
)
def test_script_changed_after_approval(make: Make, command: str) -> None:
    script = make.workspace / "x.sh"
    script.write_text("echo a")
    before = again(make, make.command(command))
    assert again(make, make.command(command)) == before
    script.write_text("echo b")
    assert again(make, make.command(command)) != before


def test_a_recipe_changed_after_approval(make: Make) -> None:
    before = again(make, make.command("make test"))
    (make.workspace / "Makefile").write_text("test:\n\techo")
    assert again(make, make.command("make test")) != before


def test_environment_changed_after_approval(make: Make) -> None:
    assert again(make, make.command("ls")) != again(make, make.command("ls", environment={"PATH": "/x"}))


def test_a_link_turned_elsewhere_after_approval(make: Make) -> None:
    link = make.workspace / "out"
    link.symlink_to(make.me / "docs")
    claim = Claim(Effect.WRITE, "g", writes=(link / "a",), body="x")
    before = again(make, claim)
    link.unlink()
    link.symlink_to(make.me)
    assert again(make, claim) != before


def test_anything_else_changed_after_approval(make: Make) -> None:
    claims = [
        make.command("ls"),
        make.command("ls "),
        make.command("ls", network=True),
        Claim(Effect.RUN, "g", command="ls", cwd=make.me),
        Claim(Effect.WRITE, "g", writes=(Path("/a"),), body="x"),
        Claim(Effect.WRITE, "g", writes=(Path("/a"),), body="y"),
        Claim(Effect.WRITE, "g", writes=(Path("/b"),), body="x"),
        Claim(Effect.READ, "g", reads=(Path("/a"),)),
        Claim(Effect.READ, "g", address="https://a.example"),
        Claim(Effect.READ, "g", query="https://a.example"),
        Claim(Effect.SEND, "g", recipient="you", body="x"),
        Claim(Effect.SEND, "g", recipient="me", body="x"),
    ]
    at = make.situation()
    digests = {digest("a", claim, "{}", at) for claim in claims}
    assert len(digests) == len(claims)
    assert (
        len({*digests, digest("b", claims[0], "{}", at), digest("a", claims[0], "{ }", at)})
        == len(claims) + 2
    )


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_stays_hidden_and_nothing_is_lost(text: str) -> None:
    told = visible(text)
    assert not [
        sign
        for sign in told
        if unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp", "Cs"} and sign not in "\n\t"
    ]
    assert "\n" not in one_line(text)
    assert _back(told) == text


def _back(told: str) -> str:
    """The text that a shown one stands for: it can be told from every other."""
    pieces = told.split("⟨U+")
    return pieces[0] + "".join(
        chr(int(code, 16)) + rest for code, _, rest in (p.partition("⟩") for p in pieces[1:])
    )


@given(st.text(max_size=80) | st.text(alphabet="ab$(){}`'\"\\\n;|&<>#*=!:E0 ^%", max_size=80))
def test_every_text_can_be_read_as_commands(text: str) -> None:
    for windows in (False, True):
        script = read(text, windows=windows)
        assert not script.plain or len(script.commands) == 1


def test_the_card_says_when_a_network_has_this_computer_in_it(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # neither pasta nor slirp4netns
    claim = make.command("curl x", network=True)
    told = [str(shown(make, claim, sandboxed=boxed).as_json()) for boxed in (False, True)]
    assert ["programs on this computer" in text for text in told] == [False, True]
