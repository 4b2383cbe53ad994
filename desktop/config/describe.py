"""Settings as a page shows them: each field with its words, its limits and a check of what was typed.

Words are those of the source; a page translates them when it shows them.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from desktop.config.base import ADDRESS, PROXY, Section
from desktop.config.schema import Config
from desktop.errors import ConfigError
from desktop.text import _, mark

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
APPLIES = {
    "now": mark("Saved"),
    "answer": mark("Saved. Applies from the next answer."),
    "restart": mark("Saved. Applies after a restart."),
}
"""What to say of a saved value, by when it counts."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One field. `name` is its dotted path in snake_case: agents.defaults.max_tokens."""

    name: str
    title: str
    help: str
    kind: str
    """text, folder, secret, lines, whole, number, choice, switch, table or pairs; own: its page has a part
    for it."""
    default: Any
    optional: bool = False
    unit: str = ""
    empty: str = ""
    choices: dict[str, str] = field(default_factory=dict)
    applies: str = "now"
    least: float | None = None
    above: float | None = None
    """The value must be more than this."""
    most: float | None = None
    shortest: int = 0
    longest: int | None = None
    pattern: str = ""

    def read(self, typed: str) -> Any:
        """The value that a text means. Raises ConfigError with the sentence of the limit."""
        typed = typed.strip()
        if not typed and self.optional:
            return None
        if self.kind in ("whole", "number"):
            value = self._number(typed)
            self._in_limits(value)
            return value
        self._fitting(typed)
        return typed

    def write(self, value: Any) -> str:
        """The text that an editor shows for a value."""
        if value is None:
            return ""
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    def limits(self) -> str:
        """Between what a number must lie, as a sentence; empty where there is nothing to say."""
        if self.kind not in ("whole", "number") or self.most is None:
            return ""
        most = f"{self.most:,.0f}" if self.most == int(self.most) else f"{self.most:g}"
        if self.above is not None:
            return _("More than {least}, at most {most}.").format(least=f"{self.above:g}", most=most)
        return _("{least} to {most}.").format(least=f"{self.least or 0:g}", most=most)

    def _number(self, typed: str) -> float | int:
        try:
            if self.kind == "whole":
                return int(re.sub(r"[\s,_]", "", typed))
            value = float(typed)
        except ValueError:
            value = math.nan
        if math.isfinite(value):
            return value
        if self.kind == "whole":
            raise ConfigError(_("Enter a whole number."))
        raise ConfigError(_("Enter a number, for example {example}.").format(example="0.5"))

    def _in_limits(self, value: float) -> None:
        low = self.least is not None and value < self.least
        low = low or (self.above is not None and value <= self.above)
        if not low and (self.most is None or value <= self.most):
            return
        most = f"{int(self.most or 0):,}"
        if self.above is not None:
            raise ConfigError(
                _("Enter more than {least} and at most {most}.").format(least=f"{self.above:g}", most=most)
            )
        raise ConfigError(
            _("Enter a value from {least} to {most}.").format(least=f"{self.least or 0:g}", most=most)
        )

    def _fitting(self, typed: str) -> None:
        if len(typed) < self.shortest:
            raise ConfigError(_("This can’t be empty."))
        if self.longest is not None and len(typed) > self.longest:
            raise ConfigError(_("Enter at most {count} characters.").format(count=self.longest))
        if self.kind == "folder" and typed and not Path(typed).expanduser().is_absolute():
            raise ConfigError(_("Enter the full path of a folder."))
        if self.pattern == ADDRESS and not re.match(ADDRESS, typed):
            raise ConfigError(_("An address must start with http:// or https:// and contain no spaces."))
        if self.pattern == PROXY and not re.match(PROXY, typed):
            raise ConfigError(_("A proxy looks like http://host:port, without a user name or password."))


def check_headers(headers: dict[str, str]) -> None:
    """Raises ConfigError for a name or a value that HTTP does not allow."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name):
            raise ConfigError(_("A header name can contain only letters, digits and hyphens."))
        if not value.isprintable():
            raise ConfigError(
                _("The value of {name} contains characters that can’t be sent.").format(name=name)
            )


def settings_of(path: str) -> list[Setting]:
    """All fields of the section at this path, in their order; "providers.NAME" for one provider's."""
    section = _section(path)
    return [_setting(f"{path}.{name}", info) for name, info in section.model_fields.items()]


def setting(name: str) -> Setting:
    """The field of this dotted name."""
    path, _dot, last = name.rpartition(".")
    return _setting(name, _section(path).model_fields[last])


def _section(path: str) -> type[Section]:
    kind: Any = Config
    for part in path.split("."):
        kind = get_args(kind)[1] if get_origin(kind) is dict else kind.model_fields[part].annotation
    assert isinstance(kind, type)
    assert issubclass(kind, Section)
    return kind


def _setting(name: str, info: FieldInfo) -> Setting:
    extra: dict[str, Any] = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    limits = {key: getattr(part, key) for part in info.metadata for key in _LIMITS if hasattr(part, key)}
    annotation = info.annotation
    return Setting(
        name=name,
        title=info.title or name,
        help=info.description or "",
        kind=extra.get("kind") or _kind(annotation, bool(extra.get("choices"))),
        default=info.get_default(call_default_factory=True),
        optional=type(None) in get_args(annotation),
        unit=extra.get("unit", ""),
        empty=extra.get("empty", ""),
        choices=dict(extra.get("choices", {})),
        applies=extra.get("applies", "now"),
        least=limits.get("ge"),
        above=limits.get("gt"),
        most=limits.get("le"),
        shortest=limits.get("min_length") or 0,
        longest=limits.get("max_length"),
        pattern=limits.get("pattern") or "",
    )


_LIMITS = ("ge", "gt", "le", "min_length", "max_length", "pattern")


def _kind(annotation: Any, chosen: bool) -> str:
    members = {annotation, *(() if get_origin(annotation) in (dict, Literal) else get_args(annotation))}
    if chosen:
        return "choice"
    if get_origin(annotation) is dict:
        return "table"
    for kind, name in ((bool, "switch"), (int, "whole"), (float, "number")):
        if kind in members:
            return name
    return "text"
