"""A job as it stands in jobs.json: nanobot's fields and, beside them, ours.

Read are both of nanobot's shapes, camelCase and snake_case, numbers as texts, and what a person writes by
hand (`"at": "2026-12-24 18:00"`). What is not known here is kept where it was.
"""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from desktop.cron.job import NOTHING, Job, Missed
from desktop.cron.schedule import At, Cron, Every, Spec, sane, zone_of
from desktop.errors import UsageError
from desktop.text import _

type Json = dict[str, Any]

SYSTEM = {"dream", "heartbeat"}
"""nanobot's own jobs: kept for it, and none of ours."""
_KIND = "agent_turn"
_JOB = "id name enabled schedule payload state createdAtMs updatedAtMs deleteAfterRun missed mode retries"
_SCHEDULE = "kind atMs everyMs expr tz at anchorMs"
_PAYLOAD = "message sessionKey chatKey plain"
_STATE = (
    "nextRunAtMs lastRunAtMs lastStatus lastError lastDueAtMs lastRunId lastOutcome failures paused "
    "plannedAs plannedIn"
)
_WHOLE = 2**53
_OUTCOMES = {"ok": "ok", "error": "failed", "skipped": "skipped"}
_STATUSES = {"ok": "ok", "failed": "error", "interrupted": "error", "stopped": "skipped", "": None}


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


class _Fields:
    """The known fields of one level, by either spelling."""

    def __init__(self, names: str) -> None:
        self.names = frozenset(names.split())
        self.plain = {spelt: name for name in self.names for spelt in (_snake(name), name)}

    def sort(self, value: Any, where: str) -> tuple[Json, Json]:
        """Known and unknown ones. Raises UsageError if this is no object."""
        if value is None:
            return {}, {}
        if not isinstance(value, dict):
            raise UsageError(
                _("`{field}` is not a JSON object.").format(field=where),
                _("Correct it in the file."),
            )
        if value.keys() <= self.names:
            return value, {}
        known: Json = {}
        unknown: Json = {}
        for name, item in value.items():
            if (plain := self.plain.get(name)) is None:
                unknown[name] = item
            elif item is not None and item != "":
                known[plain] = item
        return known, unknown


_LEVELS = {
    "job": _Fields(_JOB),
    "schedule": _Fields(_SCHEDULE),
    "payload": _Fields(_PAYLOAD),
    "state": _Fields(_STATE),
}


def system(raw: Mapping[str, Any]) -> bool:
    """Whether an entry is one of nanobot's own."""
    payload = raw.get("payload")
    kind = payload.get("kind") if isinstance(payload, dict) else ""
    return kind == "system_event" or str(raw.get("id")) in SYSTEM


def read(raw: Mapping[str, Any], zone: str) -> Job:
    """The job in an entry; its id may be missing. `zone`: the person's, for times without an offset.
    Raises UsageError that says what cannot be used."""
    top, rest = _LEVELS["job"].sort(raw, "job")
    schedule, more = _LEVELS["schedule"].sort(top.get("schedule"), "schedule")
    payload, other = _LEVELS["payload"].sort(top.get("payload"), "payload")
    if other.get("kind") == _KIND:
        del other["kind"]
    state, past = _LEVELS["state"].sort(top.get("state"), "state")
    message = _text(payload, "message")
    created = _moment(top, "createdAtMs") or 0.0
    spec = _spec(schedule, created, zone)
    sane(spec)
    extra = {name: kept for name, kept in zip(_LEVELS, (rest, more, other, past), strict=True) if kept}
    enabled, paused = _flag(top, "enabled", default=True), _text(state, "paused")
    return Job(
        id=_text(top, "id"),
        name=_text(top, "name") or " ".join(message.split())[:60],
        spec=spec,
        message=message,
        enabled=enabled,
        plain=_flag(payload, "plain"),
        session=_text(payload, "sessionKey") or _address(other),
        chat=_text(payload, "chatKey"),
        missed=_missed(_text(top, "missed")),
        mode=_text(top, "mode"),
        retries=max(0, min(10, int(_number(top, "retries", 1)))),
        delete_after_run=_flag(top, "deleteAfterRun"),
        created=created,
        updated=_moment(top, "updatedAtMs") or created,
        next_due=_moment(state, "nextRunAtMs"),
        last_due=_moment(state, "lastDueAtMs"),
        last_run=_moment(state, "lastRunAtMs"),
        last_run_id=_text(state, "lastRunId"),
        last_outcome=_text(state, "lastOutcome") or _OUTCOMES.get(_text(state, "lastStatus"), ""),
        last_detail=_text(state, "lastError"),
        failures=0 if enabled and paused else max(0, int(_number(state, "failures", 0))),
        paused="" if enabled else paused,
        planned_as=_text(state, "plannedAs"),
        planned_in=_text(state, "plannedIn"),
        extra=extra or NOTHING,
    )


def write(job: Job) -> Json:
    """The entry of a job, for json.dumps."""
    extra = {name: job.extra.get(name, {}) for name in _LEVELS}
    state = {
        "nextRunAtMs": _ms(job.next_due),
        "lastRunAtMs": _ms(job.last_run),
        "lastStatus": _STATUSES.get(job.last_outcome, "skipped"),
        "lastError": job.last_detail or None,
        "lastDueAtMs": _ms(job.last_due),
        "lastRunId": job.last_run_id or None,
        "lastOutcome": job.last_outcome or None,
        "failures": job.failures,
        "paused": job.paused or None,
        "plannedAs": job.planned_as or None,
        "plannedIn": job.planned_in or None,
    }
    entry: Json = {
        "id": job.id,
        "name": job.name,
        "enabled": job.enabled,
        "schedule": _written(job) | extra["schedule"],
        "payload": {"kind": _KIND}
        | extra["payload"]
        | {"message": job.message, "plain": job.plain, "sessionKey": job.session or None}
        | ({"chatKey": job.chat} if job.chat else {}),
        "missed": job.missed,
        "mode": job.mode or None,
        "retries": job.retries,
        "state": {name: value for name, value in state.items() if value is not None} | extra["state"],
        "createdAtMs": _ms(job.created),
        "updatedAtMs": _ms(job.updated),
        "deleteAfterRun": job.delete_after_run,
    }
    entry |= extra["job"]
    return entry


def identity(spec: Spec) -> str:
    """A schedule as one line, to see whether it is still the same."""
    match spec:
        case At(moment):
            return f"at {_ms(moment)}"
        case Every(seconds, anchor):
            return f"every {_ms(seconds)} from {_ms(anchor)}"
        case Cron(expression, zone):
            return f"cron {expression} {zone}".strip()


def _written(job: Job) -> Json:
    none: Json = dict.fromkeys(("atMs", "everyMs", "expr", "tz"))
    match job.spec:
        case At(moment):
            zone = zone_of(job.planned_in) if job.planned_in else UTC
            face = datetime.fromtimestamp(math.floor(moment), zone)
            return {"kind": "at"} | none | {"atMs": _ms(moment), "at": face.isoformat()}
        case Every(seconds, anchor):
            own = {} if anchor == job.created else {"anchorMs": _ms(anchor)}
            return {"kind": "every"} | none | {"everyMs": _ms(seconds)} | own
        case Cron(expression, zone_name):
            return {"kind": "cron"} | none | {"expr": expression, "tz": zone_name or None}


def _spec(schedule: Json, created: float, zone: str) -> Spec:
    kind = _text(schedule, "kind") or next(
        (
            kind
            for kind, field in (("cron", "expr"), ("every", "everyMs"), ("at", "at"))
            if field in schedule
        ),
        "at",
    )
    if kind == "at" and (moment := _at(schedule, zone)) is not None:
        return At(moment)
    if kind == "every" and (seconds := _moment(schedule, "everyMs")) is not None:
        anchor = _moment(schedule, "anchorMs")
        return Every(seconds, created if anchor is None else anchor)
    if kind == "cron" and (expression := _text(schedule, "expr")):
        own = _text(schedule, "tz")
        if own:
            zone_of(own)
        return Cron(expression, own)
    raise UsageError(
        _("Its schedule has no time."),
        _("`schedule` needs `kind` (at, every or cron) and `at`, `everyMs` or `expr`."),
    )


def _at(schedule: Json, zone: str) -> float | None:
    exact = _moment(schedule, "atMs")
    if not (text := _text(schedule, "at")):
        return exact
    moment = moment_of(text, zone)
    return exact if exact is not None and math.floor(exact) == moment else moment


def moment_of(text: str, zone: str) -> float:
    """The moment that an ISO date and time names, in `zone` where it has no offset; in a gap of the clock
    the moment after it. Raises UsageError."""
    try:
        face = datetime.fromisoformat(text.strip())
        return (face if face.tzinfo else face.replace(tzinfo=zone_of(zone))).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            _("{text} is not a date and time.").format(text=repr(text)),
            _("Use a format like 2026-12-24T18:00."),
        ) from None


def _address(payload: Json) -> str:
    """The conversation of nanobot's older jobs."""
    channel, to = payload.get("channel"), payload.get("to")
    return f"{channel}:{to}" if channel and to else ""


def _text(fields: Json, name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _flag(fields: Json, name: str, *, default: bool = False) -> bool:
    value = fields.get(name)
    if value is None or value == "":
        return default
    return value.strip().lower() in {"true", "1", "yes"} if isinstance(value, str) else bool(value)


def _number(fields: Json, name: str, default: float) -> float:
    value = fields.get(name)
    if value is None or value == "":
        return default
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(_("`{field}` must be a number.").format(field=name), _("Correct it in the file."))
    return number


def _moment(fields: Json, name: str) -> float | None:
    """Seconds of a field in milliseconds."""
    value = fields.get(name)
    if type(value) is int and abs(value) < _WHOLE:
        return value / 1000
    return None if value is None or value == "" else round(_number(fields, name, 0)) / 1000


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def _missed(text: str) -> Missed:
    return text if text in {"skip", "ask"} else "late"  # type: ignore[return-value]
