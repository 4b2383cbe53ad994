"""What an MCP server asks in the middle of a call, filled in at the terminal, a field a line."""

from collections.abc import Mapping
from typing import Any

from desktop.api.client import Api
from desktop.api.reply import Reply
from desktop.cli.output import complain, hint
from desktop.cli.prompt import Lines
from desktop.errors import AppError
from desktop.text import _

type Json = dict[str, Any]


async def fill_in(api: Api, lines: Lines, question: str, form: Json) -> None:
    """Ask for each field and hand the answers over. What is wrong is asked for again, and nothing else.
    Enter alone, or the end of the input, leaves it: then nobody has answered."""
    answer = ((await lines.next(f"{_offers(form)} ")) or "").strip()
    letter, _space, reason = answer.partition(" ")
    if letter.lower() == "n":
        await _hand_over(api, question, Reply(False, reason, front="terminal"))
        return
    wanted = {field["name"] for field in form["fields"]}
    content: Json = {}
    while letter.lower() == "y":
        for field in (one for one in form["fields"] if one["name"] in wanted):
            given = await _field(lines, field)
            if given is None:
                letter = ""
                break
            content[field["name"]] = given
        else:
            faults = await _hand_over(api, question, Reply(True, content=content, front="terminal"))
            if not faults:
                return
            for field in form["fields"]:
                if fault := faults.get(field["name"]):
                    hint(f"  {field['title']}: {fault}")
            wanted = set(faults)
    await api.questions.park(question)


def _offers(form: Json) -> str:
    yes = {
        "page": _("y = open the page"),
        "rights": _("y = sign in"),
    }.get(form["purpose"], _("y = fill it in") if form["fields"] else _("y = yes"))
    return "  ".join([yes, _("n = deny"), _("Enter = not now"), "?"])


async def _field(lines: Lines, field: Json) -> Any:
    """What was entered; the default for an empty line, "" to leave it out, None where the input is over."""
    if field["about"]:
        hint(f"  {field['about']}")
    for number, (_value, title) in enumerate(field["choices"], 1):
        hint(f"    {number} = {title}")
    line = await lines.next(f"{_prompt(field)}: ")
    if line is None:
        return None
    if not line.strip():
        return "" if field["default"] is None else field["default"]
    return "" if line.strip() == "-" and not field["required"] else line


def _prompt(field: Json) -> str:
    takes = {
        "whole": _("a whole number"),
        "number": _("a number"),
        "switch": _("yes or no"),
        "one": _("its number in the list"),
        "many": _("numbers from the list, separated by commas"),
    }.get(field["kind"], "")
    notes = [takes] if takes else []
    if field["default"] is not None:
        notes.append(_("Enter = {default}").format(default=_worded(field)))
        if not field["required"]:
            notes.append(_("- = leave empty"))
    elif not field["required"]:
        notes.append(_("Enter = leave empty"))
    return f"  {field['title']} ({', '.join(notes)})" if notes else f"  {field['title']}"


def _worded(field: Json) -> str:
    """The default as it is read."""
    default = field["default"]
    if isinstance(default, bool):
        return _("yes") if default else _("no")
    titles = dict(field["choices"])
    values = default if isinstance(default, list) else [default]
    return ", ".join(str(titles.get(value, value)) for value in values)


async def _hand_over(api: Api, question: str, reply: Reply) -> Mapping[str, str]:
    """What is wrong with it, by field."""
    try:
        return (await api.questions.answer(question, reply)).faults
    except AppError as error:
        complain(error)
        return {}
