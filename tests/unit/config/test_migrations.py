"""nanobot's older names of settings."""

from copy import deepcopy
from typing import Any

import pytest

from desktop.config.migrations import migrate


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            {"tools": {"exec": {"restrictToWorkspace": True, "timeout": 1}}},
            {"tools": {"exec": {"timeout": 1}, "restrictToWorkspace": True}},
        ),
        (
            {"tools": {"exec": {"restrict_to_workspace": True}, "restrict_to_workspace": False}},
            {"tools": {"exec": {}, "restrict_to_workspace": False}},
        ),
        (
            {"tools": {"myEnabled": True, "mySet": False, "my": {"allowSet": True}}},
            {"tools": {"my": {"allowSet": True, "enable": True}}},
        ),
        ({"tools": {"my_set": True}}, {"tools": {"my": {"allowSet": True}}}),
        ({"tools": None, "agents": 1}, {"tools": None, "agents": 1}),
        ({"tools": {"exec": 3, "my": "x", "mySet": 1}}, {"tools": {"exec": 3, "my": {"allowSet": 1}}}),
        (
            {"channels": {"transcriptionProvider": "groq", "transcription_language": "de", "qq": {}}},
            {"channels": {"qq": {}}, "transcription": {"provider": "groq", "language": "de"}},
        ),
        (
            {"channels": {"transcriptionProvider": "groq"}, "transcription": {"provider": "openai"}},
            {"channels": {}, "transcription": {"provider": "openai"}},
        ),
        ({}, {}),
    ],
)
def test_renamed_settings_move_and_what_is_there_already_wins(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    given = deepcopy(before)
    assert migrate(given) == after
    assert given == before
    assert migrate(after) == after
