"""Questions of permission in the terminal: what there is to see, and an answer by key."""

from typing import Any

from desktop.cli.forms import fill_in
from desktop.cli.output import block, complain, hint
from desktop.cli.prompt import Lines
from desktop.cli.reach import Verb, result
from desktop.errors import AppError
from desktop.text import _

type Json = dict[str, Any]


async def question(verb: Verb, lines: Lines, event: Json) -> None:
    """Show the card of a `permission_asked` and hand over the answer; Enter alone leaves it for later."""
    card = event["card"]
    hint("")
    show(card)
    if "form" in card:
        await fill_in(verb, lines, event["question"], card["form"])
        return
    offers = [_("y = yes, once")]
    if card.get("network"):
        offers.append(_("i = yes, with the internet"))
    if card.get("remember"):
        offers.append(_("a = always like this ({what})").format(what=card["remember"]))
    offers += [_("n = no"), _("Enter = later")]
    hint("  ".join(offers))
    answer = ((await lines.next("? ")) or "").strip()
    letter, _space, reason = answer.partition(" ")
    letter = letter.lower()
    given: Json = {"question": event["question"], "front": "terminal"}
    if letter in ("y", "a", "i"):
        given |= {"yes": True, "always": letter == "a", "network": letter == "i"}
    elif letter == "n":
        given |= {"yes": False, "reason": reason}
    else:
        await result(verb, "later", question=event["question"])
        return
    try:
        await result(verb, "permit", **given)
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
