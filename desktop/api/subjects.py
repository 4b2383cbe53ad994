"""The subjects of a program that runs, and the edge at which calls from other processes come in.

A call between processes is "subject.method" with arguments by name. They are checked here, once, against
the signature of the method; a reply and events are frozen dataclasses inside and JSON outside.
"""

import inspect
import logging
import types
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_type_hints

from desktop.api.client import Api, Call
from desktop.errors import AppError, UsageError, explain
from desktop.tasks import in_thread
from desktop.text import _

type Json = dict[str, Any]
type Send = Callable[[Json], None]
type Makers = Mapping[str, Callable[[], object]]
"""By the name of a subject: what loads its module and gives it the parts it uses. Called in a thread."""
_log = logging.getLogger(__name__)


class Subjects:
    """Each is made when it is first wanted, in a thread: its imports may take a while."""

    def __init__(self, makers: Makers) -> None:
        self._makers = makers
        self._made: dict[str, object] = {}

    async def method(self, subject: str, name: str) -> Callable[..., Any]:
        """What carries out a call. Raises UsageError where there is none such."""
        if subject not in self._makers or name.startswith("_"):
            raise _unknown(f"{subject}.{name}")
        if subject not in self._made:
            made = await in_thread(self._makers[subject])
            self._made.setdefault(subject, made)  # or two were wanted at once
        method = getattr(self._made[subject], name, None)
        if not inspect.ismethod(method):
            raise _unknown(f"{subject}.{name}")
        return method

    async def answer(self, verb: str, arguments: Json, send: Send) -> Json:
        """Carry out what another process asks. Raises AppError."""
        import msgspec

        subject, _dot, name = verb.partition(".")
        method = await self.method(subject, name)
        given = checked(method, arguments)
        if inspect.isasyncgenfunction(method):
            async with aclosing(method(**given)) as events:
                async for event in events:
                    send({"event": kind_of(type(event)), **msgspec.to_builtins(event)})
            return {}
        return {"value": msgspec.to_builtins(await method(**given))}


class Local:
    """A Transport to subjects of this process; failures are told as they would be by another."""

    def __init__(self, subjects: Subjects) -> None:
        self._subjects = subjects

    async def result(self, call: Call) -> Any:
        """Of one call. Raises AppError."""
        method = await self._subjects.method(call.subject, call.method)
        try:
            return await method(*call.positional, **call.named)
        except Exception as error:
            raise _explained(error) from error

    async def events(self, call: Call) -> AsyncGenerator[Any]:
        """What one call yields. Raises AppError."""
        method = await self._subjects.method(call.subject, call.method)
        try:
            async with aclosing(method(*call.positional, **call.named)) as events:
                async for event in events:
                    yield event
        except Exception as error:
            raise _explained(error) from error


def _explained(error: Exception) -> AppError:
    failure = explain(error)
    if failure is not error:
        _log.error("a call failed", exc_info=error)
    return failure


def checked(method: Callable[..., Any], arguments: Json) -> Json:
    """Arguments that came as JSON, as the method takes them. Raises UsageError that names the one that it
    does not."""
    import msgspec

    hints, parameters = _hints(_plain(method)), inspect.signature(method).parameters
    given: Json = {}
    for name, value in arguments.items():
        if name not in parameters:
            raise UsageError(_("There is no argument {name}.").format(name=name))
        try:
            given[name] = msgspec.convert(value, hints[name])
        except msgspec.ValidationError as error:
            text = _("The argument {name} is not valid: {error}")
            raise UsageError(text.format(name=name, error=error)) from error
    for name, parameter in parameters.items():
        if name not in given and parameter.default is parameter.empty:
            raise UsageError(_("The argument {name} is missing.").format(name=name))
    return given


def outgoing(call: Call) -> Json:
    """The arguments of a call by name, as JSON."""
    import msgspec

    bound = inspect.signature(_declared(call)).bind(None, *call.positional, **call.named)
    return {name: msgspec.to_builtins(value) for name, value in list(bound.arguments.items())[1:]}


def result_of(call: Call, reply: Json) -> Any:
    """What came back as JSON, as the method declares it. Raises AppError where it is something else: who
    answered is of another version."""
    import msgspec

    try:
        return msgspec.convert(reply["value"], _hints(_declared(call))["return"])
    except (KeyError, msgspec.ValidationError) as error:
        raise _foreign() from error


def event_of(call: Call, line: Json) -> Any:
    """One event of a call that came as JSON, as the method declares it. Raises AppError likewise."""
    import msgspec

    known = _events(_declared(call))
    given = dict(line)
    try:
        return msgspec.convert(given, known[given.pop("event")])
    except (KeyError, msgspec.ValidationError) as error:
        raise _foreign() from error


def _foreign() -> AppError:
    return AppError(
        _("The running Nanobot is a different version."), _("Quit it, then start this one again.")
    )


def kind_of(event: type) -> str:
    """snake_case name of an event's class: TextDelta -> text_delta."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in event.__name__).lstrip("_")


def _declared(call: Call) -> Callable[..., Any]:
    """The method of a call, in the class of its subject."""
    module = import_module(f"desktop.api.{call.subject}")
    method: Callable[..., Any] = getattr(getattr(module, Api.__annotations__[call.subject]), call.method)
    return method


def _plain(method: Callable[..., Any]) -> Callable[..., Any]:
    plain: Callable[..., Any] = getattr(method, "__func__", method)
    return plain


@cache
def _hints(method: Callable[..., Any]) -> Json:
    return get_type_hints(method)


@cache
def _events(method: Callable[..., AsyncIterator[Any]]) -> dict[str, type]:
    """The classes that a stream declares, by kind."""
    (event,) = get_args(_hints(method)["return"])
    return {kind_of(made): made for made in _classes(event)}


def _classes(event: Any) -> list[type]:
    """Those of a union, of its aliases too."""
    event = getattr(event, "__value__", event)
    parts = get_args(event) if isinstance(event, types.UnionType) else ()
    return [made for part in parts for made in _classes(part)] or [event]


def _unknown(verb: str) -> UsageError:
    return UsageError(_("Unknown request: {verb}.").format(verb=verb))
