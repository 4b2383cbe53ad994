"""A bed for each test that asks for one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.unit.cron.bed import Bed, unix

type Made = Callable[..., Awaitable[Bed]]


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Made]:
    """Makes beds, started, and stops them afterwards."""
    beds: list[Bed] = []

    async def make(now: str = "2026-11-28T18:00", zone: str = "UTC", home: str = "home") -> Bed:
        bed = Bed(tmp_path, unix(now), zone, home)
        beds.append(bed)
        await bed.start()
        return bed

    yield make
    for bed in beds:
        await bed.stop()


@pytest.fixture
async def bed(made: Made) -> Bed:
    """One, at six in the evening of 28 November 2026, in UTC."""
    return await made()
