"""Questions of permission in the terminal: what there is to see, and an answer by key."""

from typing import Any

from desktop.api.client import Api
from desktop.api.reply import Reply
from desktop.bus.events import PermissionAsked
from desktop.cli.forms import fill_in
from desktop.cli.output import block, complain, hint
from desktop.cli.prompt import Lines
from desktop.errors import AppError
from desktop.text import _

type Json = dict[str, Any]


async def question(api: Api, lines: Lines, event: PermissionAsked) -> None:
    """Show the card of a question and hand over the answer; Enter alone leaves it for later."""
    card = event.card
    hint("")
    show(card)
    if "form" in card:
        await fill_in(api, lines, event.question, card["form"])
        return
    offers = [_("y = allow once")]
    if card.get("network"):
        offers.append(_("i = allow with internet access"))
    if card.get("remember"):
        offers.append(_("a = always allow ({what})").format(what=card["remember"]))
    offers += [_("n = deny"), _("Enter = later")]
    hint("  ".join(offers))
    answer = ((await lines.next("? ")) or "").strip()
    letter, _space, reason = answer.partition(" ")
    letter = letter.lower()
    if letter in ("y", "a", "i"):
        reply = Reply(True, always=letter == "a", network=letter == "i", front="terminal")
    elif letter == "n":
        reply = Reply(False, reason, front="terminal")
    else:
        await api.questions.park(event.question)
        return
    try:
        await api.questions.answer(event.question, reply)
    except AppError as error:
        complain(error)


def show(card: Json) -> None:
    """A card on stderr: what will be done, whole, and what to know about it."""
    hint(f"● {card['title']}")
    for text in (card.get("command"), card.get("body")):
        if text:
            block(str(text), indent="    ", aside=True)
    for line in card.get("lines", ()):
        if line not in (card.get("command"), card.get("body")):
            hint(f"  {line}")
    if card.get("marked"):
        hint(f"  {card['marked']}")
    if card.get("why"):
        hint(f"  {card['why']}")
