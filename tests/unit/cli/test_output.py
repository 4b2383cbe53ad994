"""What reaches a terminal: the answer, no secret, and nothing that gives the terminal orders."""

import io

from desktop.cli.output import shown
from desktop.logs import mask


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_an_answer_cannot_give_the_terminal_orders() -> None:
    said = "one\n\ttwo \x1b]0;title\x07 \x1b[2J\x9b31m\r\x7f 中 🙂"
    assert shown(said, Terminal()) == "one\n\ttwo ␛]0;title␇ ␛[2J\ufffd31m␍\ufffd 中 🙂"


def test_a_file_gets_the_answer_to_the_letter() -> None:
    assert shown("a\x1b[1mb", io.StringIO()) == "a\x1b[1mb"


def test_no_secret_is_shown() -> None:
    mask("sk-output-secret")
    assert shown("the key is sk-output-secret.", Terminal()) == "the key is [hidden]."
