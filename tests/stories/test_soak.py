"""A few rounds of each long run, so that the commands of tests/soak keep working; theirs is the proof."""

from random import Random

import pytest

from tests.soak import fuzz, kill, kill_due, kill_memory, kill_subagents, kill_tools, remember
from tests.stories.program import Program

SEED = 20261128


def test_damage_to_session_files_costs_the_damaged_records_only() -> None:
    assert fuzz.run(Random(SEED), rounds=20) == []


@pytest.mark.parametrize(("program", "host", "server"), [(4, 0, 0), (0, 2, 0)], ids=["program", "host"])
def test_kills_lose_nothing_that_was_acknowledged(program: int, host: int, server: int) -> None:
    assert kill.run(Random(SEED), program, host, server) == []


@pytest.mark.soak
def test_a_kill_of_the_model_server_loses_nothing(with_model: Program) -> None:
    assert kill.run(Random(SEED), program=0, host=0, server=1) == []


def test_kills_of_turns_that_act_lose_nothing_and_repeat_nothing() -> None:
    assert kill_tools.run(Random(SEED), rounds=5) == []


def test_a_result_of_a_subagent_is_told_once_whenever_the_program_is_killed() -> None:
    assert kill_subagents.run(Random(SEED), rounds=4) == []


@pytest.mark.soak
def test_reminders_come_once_whenever_the_program_is_killed() -> None:
    assert kill_due.run(Random(SEED), rounds=10) == []


@pytest.mark.soak
def test_what_is_remembered_is_whole_whenever_the_program_is_killed() -> None:
    assert kill_memory.run(Random(SEED), rounds=5) == []


@pytest.mark.soak
def test_a_conversation_longer_than_the_window_fits_and_keeps_its_facts() -> None:
    assert remember.run(messages=300) == []
