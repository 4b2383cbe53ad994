"""What a message of Feishu's holds, by its kind.

https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

type Json = dict[str, Any]

_NAMED = re.compile(r"@_(user_\d+|all)")
_MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class File:
    """One that came along."""

    kind: str
    """As the call for it wants to know: image or file."""
    key: str
    name: str


@dataclass(slots=True)
class Content:
    """The words of a message, and its files."""

    text: str = ""
    files: list[File] = field(default_factory=list)


def names(mentions: object, me: str) -> tuple[dict[str, str], bool]:
    """What stands for whom in a text, the bot as nothing; and whether that is there."""
    found, mentioned = {"@_all": "@all"}, False
    for one in mentions if isinstance(mentions, list) else ():
        given = one.get("id")  # an object in events, a text in what is read later
        id_ = given.get("open_id") if isinstance(given, dict) else given
        ours = bool(me) and id_ == me
        mentioned = mentioned or ours
        found[str(one.get("key") or "")] = "" if ours else f"@{one.get('name') or id_ or ''}"
    return found, mentioned


def content(kind: str, raw: str, people: Mapping[str, str]) -> Content:
    """The words and the files. `people`: as names() gave them. Raises ValueError and
    others where it is odd."""
    body: Json = json.loads(raw or "{}")
    match kind:
        case "text":
            return Content(_with_names(str(body.get("text") or ""), people))
        case "post" | "interactive":
            found = Content()
            found.text = _with_names(_post(body, found.files, people), people)
            return found
        case "image":
            return Content(files=[_picture(body)])
        case "file" | "media":
            return Content(
                files=[File("file", str(body["file_key"]), str(body.get("file_name") or "file"))]
            )
        case "audio":
            return Content(files=[File("file", str(body["file_key"]), "voice.opus")])
        case _:
            return Content(f"[{kind}]")


def _picture(body: Json) -> File:
    return File("image", str(body["image_key"]), "picture.png")


def _with_names(text: str, people: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda found: people.get(found[0], found[0]), text).strip()


def _post(body: Json, files: list[File], people: Mapping[str, str]) -> str:
    """A text with looks: lines of runs, here and there within the name of a language."""
    lines = body.get("content") if "content" in body else body.get("elements")
    if lines is None and (inner := next((one for one in body.values() if isinstance(one, dict)), None)):
        return _post(inner, files, people)
    said = [str(body.get("title") or "")]
    for line in lines or ():
        runs = line if isinstance(line, list) else [line]
        said.append("".join(_runs(runs, files, people, 0)))
    return "\n".join(said).strip()


def _runs(runs: list[Json], files: list[File], people: Mapping[str, str], depth: int) -> Iterator[str]:
    for run in runs:
        tag, text = run.get("tag"), run.get("text")
        if isinstance(text, dict):  # of a card
            text = text.get("content")
        if tag == "a":
            yield f"{text} ({run.get('href')})" if text != run.get("href") else str(text)
        elif tag == "at":
            id_ = str(run.get("user_id") or "")
            yield people.get(id_, f"@{run.get('user_name') or id_}")
        elif tag == "img" and run.get("image_key"):
            files.append(_picture(run))
        elif tag == "media" and run.get("file_key"):
            files.append(File("file", str(run["file_key"]), str(run.get("file_name") or "video.mp4")))
        elif tag == "code_block":
            yield f"```{str(run.get('language') or '').lower()}\n{text}\n```"
        elif tag == "emotion":
            yield f"[{run.get('emoji_type')}]"
        elif isinstance(run.get("elements"), list) and depth < _MOST_DEPTH:
            yield from _runs(run["elements"], files, people, depth + 1)
        else:
            yield str(text or run.get("content") or "")
