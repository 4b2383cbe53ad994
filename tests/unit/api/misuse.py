"""Misuse of the api that mypy must refuse: an ignore that is not needed here fails the run of mypy."""

from desktop.api.client import Api


async def misuse(api: Api) -> None:
    """Never run."""
    api.weather  # type: ignore[attr-defined]  # noqa: B018 a subject that is not there
    await api.usage.forget()  # type: ignore[attr-defined]  # a call that is not there
    await api.usage.report(span=7)  # type: ignore[arg-type]
    await api.usage.report(since="7")  # type: ignore[call-arg]
    await api.usage.cost()  # type: ignore[call-arg]
    (await api.usage.cost("a")).euro  # type: ignore[attr-defined]  # noqa: B018 a field that is not there
    await api.backups.make()  # type: ignore[misc]  # a stream has no one result
    async for event in api.backups.make():
        event.percent  # type: ignore[union-attr]  # noqa: B018 a field that no event has
    await api.providers.test("groq")  # type: ignore[arg-type]  # a draft is no name
    (await api.providers.all()).providers[0].colour  # type: ignore[attr-defined]  # noqa: B018
    async for step in api.local.setup():
        step.done  # type: ignore[union-attr]  # noqa: B018 a field that only one kind of event has
    (await api.usage.cost("a")).usd = 1.0  # type: ignore[misc]  # replies are frozen
