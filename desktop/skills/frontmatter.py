"""The header of a SKILL.md: what stands between two lines of ---.

It is YAML. What is not, such as a description with a colon in it from the days when headers were read line
by line, is read line by line again, and said. Whatever a header holds, reading it ends soon and never
raises.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yaml import MappingNode, SafeLoader, Token

_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)", re.ASCII)
_PLAIN = r"[A-Za-z\u4e00-\u9fff][^:#\x00-\x1f\x7f-\xa0\ud800-\uffff]*[.!?。！？]"
"""What YAML takes for text without quotation marks. Compiled with its first use: that takes milliseconds of
the start."""
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
"""What YAML takes nowhere."""
_METADATA = ("nanobot", "openclaw", "clawdbot")
_MANY = 50
_LONGEST = 16_000
"""Characters of a header that are read as YAML, which takes its time."""
_MERGED = 2_000
"""Fields that `<<` brings into others: each level of it can multiply those of the level below."""
_DEEP = 50
_BITS = 10_000


@dataclass(frozen=True, slots=True)
class Header:
    """What a SKILL.md says of itself."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    """The text below, or all of it where there is no header."""
    found: bool = False
    broken: int = 0
    """The line of the file at which the YAML cannot be read; the fields were read line by line then."""
    closed: bool = True
    long: bool = False
    """Too long to be read as YAML; the fields were read line by line."""

    def text(self, name: str) -> str:
        """A field as one text; "" where it is none."""
        return as_text(self.fields.get(name))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The part of `metadata` that is for programs like this one."""
        found = self.fields.get("metadata")
        if isinstance(found, str):
            found = _json(found)
        if not isinstance(found, Mapping):
            return {}
        return next((found[name] for name in _METADATA if isinstance(found.get(name), Mapping)), {})

    @property
    def always(self) -> bool:
        """Whether the text belongs into every conversation."""
        given = (self.fields.get("always"), self.metadata.get("always"))
        return any(as_text(value).lower() == "true" for value in given)


def read(text: str) -> Header:
    """Split a SKILL.md, or its beginning, into header and body."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[start].rstrip() != "---":
        return Header(body=text)
    end = next((n for n in range(start + 1, len(lines)) if lines[n].rstrip() in ("---", "...")), None)
    if end is None:  # then what looks like fields is the header
        end = next((n for n in range(start + 1, len(lines)) if not _LINE.match(lines[n])), len(lines))
        return Header(_by_line(lines[start + 1 : end]), "\n".join(lines[end:]), found=True, closed=False)
    body = "\n".join(lines[end + 1 :])
    if end - start > _LONGEST or sum(map(len, lines[start:end])) > _LONGEST:
        return Header(_by_line(lines[start + 1 : end]), body, found=True, long=True)
    fields, wrong = _yaml("\n".join(lines[start + 1 : end]))
    if fields is None:
        fields = _by_line(lines[start + 1 : end])
        return Header(fields, body, found=True, broken=start + 2 + wrong)
    return Header(fields, body, found=True)


def names(value: Any) -> tuple[str, ...]:
    """A list of names, whatever was written: one name, a list with nulls in it, null."""
    items = value if isinstance(value, list) else [value]
    found = (" ".join(as_text(item).split()) for item in items[:_MANY])
    return tuple(dict.fromkeys(name for name in found if name))


def as_text(value: Any) -> str:
    """A plain value as text; lists and mappings are none (one small header can unfold to a huge one)."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > _BITS:
        return ""  # Python refuses to write it out
    if isinstance(value, str | int | float) or hasattr(value, "isoformat"):
        return str(value).strip()
    return ""


def compose(name: str, description: str, body: str) -> str:
    """A SKILL.md that says this of itself; the description becomes one line."""
    about = " ".join(_UNFIT.sub(" ", description).split())
    quoted = about if re.fullmatch(_PLAIN, about) else json.dumps(about, ensure_ascii=False)
    return f"---\nname: {name}\ndescription: {quoted}\n---\n\n{body.strip()}\n"


def _yaml(text: str) -> tuple[dict[str, Any] | None, int]:
    """The fields, or None and the line (from 0) at which they cannot be read."""
    import yaml

    try:
        found = yaml.load(text, _loader())  # noqa: S506 (a SafeLoader)
        if found is None:
            return {}, 0
        if isinstance(found, dict):
            return {str(key): value for key, value in found.items()}, 0
    except yaml.MarkedYAMLError as error:
        return None, error.problem_mark.line if error.problem_mark else 0
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        pass  # a value that is not of the type that its tag names raises anything
    return None, 0


@cache
def _loader() -> "type[SafeLoader]":
    import yaml
    from yaml.constructor import ConstructorError
    from yaml.scanner import ScannerError

    class Loader(yaml.SafeLoader):
        """Merges only so much, and nests only so deep: both take the square of their size, or more."""

        merged = 0

        def fetch_flow_collection_start(self, token: "type[Token]") -> None:
            if self.flow_level > _DEEP:
                raise ScannerError(None, None, "nested too deep", self.get_mark())
            super().fetch_flow_collection_start(token)

        def flatten_mapping(self, node: "MappingNode") -> None:
            super().flatten_mapping(node)
            self.merged += len(node.value)
            if self.merged > _MERGED:
                raise ConstructorError(None, None, "too many fields are merged", node.start_mark)

    return Loader


def _by_line(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in lines:
        if match := _LINE.fullmatch(line):
            value = match[2].strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[match[1]] = value[1:-1] if quoted else value
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
