"""What a person decides on as one: all that came switched off of one chat app."""

from collections.abc import Mapping
from typing import Any, Final

GROUP: Final = (
    "CASE WHEN json_extract(body, '$.loose.keys[0]') = 'channels' "
    "AND json_array_length(body, '$.loose.keys') > 2 AND json_extract(body, '$.stranger') IS NULL "
    "THEN 'channels.' || json_extract(body, '$.loose.keys[1]') ELSE id END"
)
"""The same in SQL; the id of a row that is decided on by itself."""


def group_of(body: Mapping[str, Any]) -> str:
    """The group of a notice by its body; empty where it is decided on by itself."""
    keys: list[str] = (body.get("loose") or {}).get("keys") or []
    if len(keys) <= 2 or keys[0] != "channels" or body.get("stranger") is not None:
        return ""
    return f"channels.{keys[1]}"
