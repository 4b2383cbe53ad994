"""What all settings models share: nanobot's names on disk, nothing a person wrote is dropped."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator
from pydantic.alias_generators import to_camel

from desktop.config.loosens import Loosens

ADDRESS = r"^(https?://\S+)?$"
"""The pattern of a field that holds the address of a server, or nothing."""

PROXY = r"^(https?://[^\s@/]+/?)?$"
"""The pattern of the address of a proxy, or nothing. One with a name and a password would be a secret."""

type Applies = Literal["now", "answer", "restart"]


def notes(
    *,
    applies: Applies = "now",
    unit: str = "",
    empty: str = "",
    kind: str = "",
    choices: Mapping[str, str] | None = None,
) -> dict[str, JsonValue]:
    """What a field's page says beyond its title and description, for `json_schema_extra`.

    `applies`: a change counts at once, from the next answer, or after a restart of the program. `empty`:
    what an empty field means. `kind`: one that its type does not tell, such as "folder" for a text (see
    describe.Setting). `choices`: values and their names; "" stands for an optional field's None.
    """
    return {"applies": applies, "unit": unit, "empty": empty, "kind": kind, "choices": dict(choices or {})}


def normal(name: str) -> str:
    """A key without its style: maxTokens, max_tokens and MAX-TOKENS are one name."""
    return name.replace("_", "").replace("-", "").lower()


class Section(BaseModel):
    """A group of settings: camelCase on disk, snake_case accepted, unknown keys kept, never changed."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True)

    LOOSENS: ClassVar[Mapping[str, Loosens]] = {}
    """Fields that may loosen what the agent may do, or have something run."""
    HARMLESS: ClassVar[frozenset[str]] = frozenset()
    """Fields that never do. Those that hold sections are judged by the fields of these."""

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, data: Any) -> Any:
        """Names in whatever style, as a change of a setting finds them; nanobot writes null where it means
        "not set"."""
        if not isinstance(data, dict):
            return data
        by_name = {normal(name): (name, field) for name, field in cls.model_fields.items()}
        meant: dict[Any, Any] = {}
        for key, value in data.items():
            name, field = by_name.get(normal(str(key)), ("", None))
            if field and value is None and type(None) not in get_args(field.annotation):
                continue
            named = to_camel(name) if field and key != name else key
            meant[key if named in data or named in meant else named] = value
        return meant
