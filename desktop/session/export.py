"""A conversation as a document of its own, to keep or to hand on: Markdown, one HTML page, or JSON.

Everything of a person or a model goes in as text: nothing in a message can become a part of the page.
Tool calls are one line each; what they read stays in the log.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from desktop import jsontext
from desktop.logs import masked
from desktop.session.index import said_in
from desktop.session.model import Message, moment_of, replayable
from desktop.text import _, language, mark

type Format = Literal["markdown", "html", "json"]
FORMATS: Final[tuple[Format, ...]] = ("markdown", "html", "json")

_GIST = 160
_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title><style>{style}</style></head>
<body><h1>{title}</h1><p><code>{key}</code></p>
{body}
</body></html>
"""
_OUTCOMES = {
    "failed": mark("failed"),
    "denied": mark("denied"),
    "parked": mark("waiting for an answer"),
    "stopped": mark("stopped"),
    "interrupted": mark("interrupted"),
}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#222;"
    "background:#fff}h1{font-size:1.5em}section{margin:1.5em 0}section header{font-weight:600}"
    "time{font-weight:400;color:#777;margin-left:.6em}pre{white-space:pre-wrap;overflow-wrap:anywhere;"
    "font:inherit;margin:.3em 0;unicode-bidi:plaintext}"
    ".tool{color:#666;font-size:.9em;margin:.3em 0;overflow-wrap:anywhere}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}}"
)


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that was said, or one tool call."""

    who: str
    """Empty for a tool call."""
    when: str
    text: str
    note: str = ""


def export(kind: Format, key: str, title: str, messages: Iterable[Message]) -> str:
    """The whole document as text that UTF-8 can hold, without secrets that this process knows."""
    made: dict[str, Callable[[str, str, list[Message]], str]] = {
        "markdown": _markdown,
        "html": _html,
        "json": _json,
    }
    text = masked(made[kind](key, title or key, [m for m in messages if replayable(m)]))
    return text.encode("utf-8", "replace").decode()


def _json(key: str, title: str, messages: list[Message]) -> str:
    return jsontext.dumps({"key": key, "title": title, "messages": messages}, 2) + "\n"


def _markdown(key: str, title: str, messages: list[Message]) -> str:
    text = f"# {_one_line(title)}\n\n`{_one_line(key)}`\n"
    in_list = False
    for part in _parts(messages):
        if part.who:
            head = f"## {part.who}" + (f" · {part.when}" if part.when else "")
            blocks = (head, part.text, part.note and f"*{part.note}*")
            text += "".join(f"\n{block}\n" for block in blocks if block)
        else:
            text += f"{'' if in_list else '\n'}- {_code(part.text)}\n"
        in_list = not part.who
    return text


def _html(key: str, title: str, messages: list[Message]) -> str:
    body = []
    for part in _parts(messages):
        text, when, note = (html.escape(value) for value in (part.text, part.when, part.note))
        if part.who:
            body.append(
                f"<section><header>{html.escape(part.who)}<time>{when}</time></header>"
                f"<pre>{text}</pre>{f'<p><em>{note}</em></p>' if note else ''}</section>"
            )
        else:
            body.append(f'<p class="tool">{text}</p>')
    return _PAGE.format(
        language=language().replace("_", "-"),
        style=_STYLE,
        title=html.escape(_one_line(title)),
        key=html.escape(_one_line(key)),
        body="\n".join(body),
    )


def _parts(messages: list[Message]) -> Iterator[_Part]:
    results = {str(m.get("tool_call_id")): m for m in messages if m.get("role") == "tool"}
    names = {"user": _("You"), "assistant": _("Nanobot")}
    for message in messages:
        moment = moment_of(message.get("timestamp"))
        when = f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""
        text, note = said_in(message), _note(message)
        who = names.get(str(message.get("role")))
        if who and (text or note):
            yield _Part(who, when, text, note)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield _Part("", when, _line(call, results.get(str(call.get("id")), {})))


def _note(message: Message) -> str:
    return str(message.get("_error_text") or (_("Stopped.") if message.get("_stopped") else ""))


def _line(call: Mapping[str, Any], result: Message) -> str:
    """A call as one line: the tool, what for, and what became of it."""
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    gist = _one_line(str(result.get("_gist") or function.get("arguments") or ""))
    gist = gist if len(gist) <= _GIST else gist[: _GIST - 1] + "…"
    outcome = str(result.get("_outcome") or "ok") if result else "interrupted"
    told = f"({_(_OUTCOMES.get(outcome, outcome))})" if outcome != "ok" else ""
    return " ".join(part for part in (str(function.get("name") or ""), gist, told) if part)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _code(text: str) -> str:
    """Inline code that no backtick in it ends."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"
