"""A supervisor to try."""

from collections.abc import AsyncIterator

import pytest

from tests.unit.services.parts import Bench


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    await bench.close()
