"""What can happen, as frozen records. A handler is named like its event."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events."""

    @property
    def kind(self) -> str:
        """snake_case name, as --json prints it: TextDelta -> text_delta."""
        name = type(self).__name__
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")

    def as_json(self) -> dict[str, Any]:
        """The event as one JSON object with its kind under "event"."""
        return {"event": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class TurnEvent(Event):
    """Something in one turn of one session."""

    session: str
    turn: str


@dataclass(frozen=True, slots=True)
class TurnStarted(TurnEvent):
    """The person's message is on disk and the model is about to be asked."""

    provider: str = ""
    model: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta(TurnEvent):
    """More of the answer."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ReasoningDelta(TurnEvent):
    """More of what the model thinks aloud; folded, never the answer."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class TurnWaiting(TurnEvent):
    """The call failed in a way that passes; it is tried again in `seconds`."""

    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TurnJoined(TurnEvent):
    """The person wrote again while tools were at work: this turn goes on as `into` and ends as that."""

    into: str = ""


@dataclass(frozen=True, slots=True)
class TurnSpoke(TurnEvent):
    """A message of its own that the agent put into the conversation in mid-turn; it is on disk."""

    text: str = ""
    files: tuple[str, ...] = ()
    """Paths of those that go along."""


@dataclass(frozen=True, slots=True)
class TurnFinished(TurnEvent):
    """The answer is on disk. `text` is all that was said since the last tool call and has the last word
    over the deltas; empty where a message of its own (TurnSpoke) was the answer."""

    text: str = ""
    stopped: bool = False
    withdrawn: bool = False
    """The person took the message back before it was its turn: neither it nor an answer is there."""


@dataclass(frozen=True, slots=True)
class TurnFailed(TurnEvent):
    """No answer: why, and what to do. What the person wrote is on disk."""

    error: str = ""
    remedy: str = ""
    kind_of_error: str = ""


@dataclass(frozen=True, slots=True)
class ToolStarted(TurnEvent):
    """The model called a tool. `gist`: one short line, such as a file's name; `effect`: read, write, run or
    send.

    It may still have to be asked for: then PermissionAsked follows. A question of a subagent's call comes
    in the conversation that the subagent works for.
    """

    call: str = ""
    tool: str = ""
    gist: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished(TurnEvent):
    """The result of a call is on disk. `outcome`: ok, failed, denied (the person or a fence said no),
    parked (not answered yet) or stopped; `decision`: a sentence on why it was allowed or not."""

    call: str = ""
    tool: str = ""
    outcome: str = "ok"
    seconds: float = 0.0
    decision: str = ""


@dataclass(frozen=True, slots=True)
class PermissionAsked(TurnEvent):
    """A call waits for the person. `card`: what there is to see and to answer (tools.permissions.card)."""

    call: str = ""
    question: str = ""
    """The id of the question in the inbox; the answer names it."""
    card: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PermissionSettled(TurnEvent):
    """A question is no longer open. `answer`: yes, no, parked (later, from the inbox) or withdrawn."""

    call: str = ""
    question: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class PageWanted(TurnEvent):
    """A page is to be opened in the person's browser: they agreed to it in `front` (window, terminal)."""

    call: str = ""
    url: str = ""
    front: str = ""


@dataclass(frozen=True, slots=True)
class SubagentChanged(TurnEvent):
    """A subagent of a conversation (`session`; `turn` is the one that called for it) has a new state:
    queued, running, done, failed, stopped or interrupted. What it does meanwhile is told in events of the
    session "subagent:<id>"."""

    id: str = ""
    label: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class MemoryChanged(Event):
    """The memory has more or other entries. `session`: the conversation that was summed up, if one was;
    `told`: a sentence for the person, where there is something to say."""

    session: str = ""
    cursor: int = 0
    told: str = ""


@dataclass(frozen=True, slots=True)
class ConversationChanged(Event):
    """What the list shows of a conversation is another: None stays as it was. An empty title: its first
    words. `sender`: who writes there, where it is a chat's."""

    session: str
    title: str | None = None
    pinned: bool | None = None
    archived: bool | None = None
    sender: str | None = None


@dataclass(frozen=True, slots=True)
class InboxChanged(Event):
    """The inbox has other entries; `open` is how many wait for the person."""

    open: int = 0


@dataclass(frozen=True, slots=True)
class NoticeOpened(Event):
    """The person chose a notice on the screen: show its conversation at that turn. `reply`: they want to
    answer in it; `notice`: its id in the inbox."""

    notice: str = ""
    session: str = ""
    turn: str = ""
    reply: bool = False


@dataclass(frozen=True, slots=True)
class JobsChanged(Event):
    """The jobs, or their runs, are others than before. `job`: its id, where it is one."""

    job: str = ""


@dataclass(frozen=True, slots=True)
class UsageRecorded(TurnEvent):
    """One model call is in the ledger. Tokens; cost in US dollars where the provider told it."""

    provider: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ServiceChanged(Event):
    """A service has a new state; `detail` is a sentence for the person, `again_at` the Unix time of its
    next try, where one is planned."""

    name: str
    state: str
    detail: str = ""
    again_at: float | None = None


@dataclass(frozen=True, slots=True)
class ChannelUsed(Event):
    """A message came from a chat app, or went there. `name`: the app's."""

    name: str


@dataclass(frozen=True, slots=True)
class SettingsChanged(Event):
    """Settings have other values; who shows or obeys one reads it anew."""


@dataclass(frozen=True, slots=True)
class ModelFetching(Event):
    """How far the fetching of a built-in model is: fetching, waiting (it will be tried again), paused,
    failed or done. Bytes; text and remedy where something went wrong."""

    model: str
    state: str
    done: int = 0
    total: int = 0
    text: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class QuitWaits(Event):
    """The program was told to quit and waits for its turns to end; or it does not any more, for who told it
    has hung up."""

    waits: bool
