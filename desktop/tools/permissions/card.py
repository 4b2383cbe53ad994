"""What a person is shown before they answer, and the hash that their yes is bound to."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from desktop.addresses import readable
from desktop.origin import Origin, sentence
from desktop.text import _
from desktop.tools.base import Claim, Effect
from desktop.tools.exec.sandbox import SHARED, private_network
from desktop.tools.permissions.places import resolve
from desktop.tools.permissions.rules import look, standing
from desktop.tools.permissions.rules import sentence as rule_sentence
from desktop.tools.permissions.scripts import covered, fingerprint, scripts
from desktop.tools.permissions.situation import Decision, Situation
from desktop.tools.permissions.visible import one_line, visible


@dataclass(frozen=True, slots=True)
class Card:
    """A question about one call. All text is safe to show; nothing is cut."""

    tool: str
    effect: str
    title: str
    lines: tuple[str, ...]
    """What it touches: files, an address, a conversation."""
    command: str
    body: str
    cwd: str
    environment: tuple[tuple[str, str], ...]
    origin: str
    why: str
    outside: bool
    """Whether untrusted or unknown text is in view."""
    marked: str
    """A sentence on that text and where it came from; empty where there is none."""
    network: bool
    """Whether the network may be granted to the command here."""
    remember: str
    """What "always like this" would mean; empty where it is not offered."""
    digest: str
    trust: str = Origin.PERSON.value
    """The least trusted origin in view."""
    sources: tuple[str, ...] = ()
    """Where marked text came from: sites, files, servers."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files whose content the yes is given to, and what stands in them, hashed."""

    def as_json(self) -> dict[str, Any]:
        shown = {name: value for name, value in asdict(self).items() if name != "files"}
        return {
            **shown,
            "lines": list(self.lines),
            "sources": list(self.sources),
            "environment": dict(self.environment),
        }


def card(
    tool: str, claim: Claim, arguments: str, situation: Situation, decision: Decision, origin: str
) -> Card:
    """The question about a call."""
    rule = standing(tool, claim, situation)
    runs = claim.effect is Effect.RUN and bool(claim.command)
    files = contents(claim, situation)
    return Card(
        tool=one_line(tool),
        effect=claim.effect.value,
        title=_title(claim),
        lines=tuple(_lines(claim, situation)),
        command=visible(claim.command),
        body=visible(claim.body),
        cwd=one_line(str(claim.cwd or situation.cwd)) if runs else "",
        environment=tuple((one_line(k), one_line(v)) for k, v in sorted(claim.environment.items())),
        origin=one_line(origin),
        why=decision.text,
        outside=situation.marked,
        marked=sentence(situation.view.mark),
        trust=situation.view.mark.origin.value,
        sources=situation.view.mark.sources,
        network=runs,
        remember=rule_sentence(rule) if rule else "",
        digest=digest(tool, claim, arguments, situation, files),
        files=files,
    )


def _title(claim: Claim) -> str:
    if claim.asks:
        return claim.asks
    if claim.service:
        return _("Use MCP server?")
    if claim.address:
        return _("Open web page?")
    if claim.query:
        return _("Search the web?")
    return {
        Effect.READ: _("Read file?"),
        Effect.WRITE: _("Write file?"),
        Effect.RUN: _("Run command?"),
        Effect.SEND: _("Send message?"),
    }[claim.effect]


def _lines(claim: Claim, situation: Situation) -> list[str]:
    """What the card shows by itself (the command, what is written) is none of them."""
    lines = [one_line(fact) for fact in claim.facts]
    lines += [_("Reads {path}").format(path=_shown(path)) for path in claim.reads]
    lines += [_("Writes {path}").format(path=_shown(path)) for path in claim.writes]
    if claim.address:
        lines.append(one_line(readable(claim.address)))
    if claim.query:
        lines.append(one_line(claim.query))
    if claim.service:
        lines.append(_("MCP server {name}").format(name=one_line(claim.service)))
    if claim.recipient:
        lines.append(_("To the conversation {name}").format(name=one_line(claim.recipient)))
    if claim.network:
        lines.append(_("Requests network access"))
        if situation.sandboxed and not private_network():
            lines.append(_(SHARED))
    found = look(claim, situation)
    lines += [
        _("Runs the contents of {path}").format(path=_shown(path))
        for path in (scripts(found) if found else ())
    ]
    return lines if lines or claim.command or claim.body else [one_line(claim.gist)]


def _shown(path: Path) -> str:
    """A path, and where it really leads if that is somewhere else."""
    real, sure = resolve(path)
    name = one_line(str(path))
    return name if not sure or real == path else f"{name} → {one_line(str(real))}"


def contents(claim: Claim, situation: Situation) -> dict[str, str]:
    """The files that a call runs or sends away, and what stands in them now, hashed. Blocks."""
    found = look(claim, situation)
    files = {str(one.path): one.digest for one in (covered(found, situation.workspace) if found else ())}
    sent = claim.reads if claim.effect is Effect.SEND else ()
    return files | {str(path): fingerprint(path) for path in sent}


def digest(
    tool: str,
    claim: Claim,
    arguments: str,
    situation: Situation,
    files: Mapping[str, str] | None = None,
) -> str:
    """A hash of all that a yes is given to. Made again right before the call runs: another one means that
    the question has to be asked again. `files`: their contents, where these are known already."""
    files = contents(claim, situation) if files is None else files
    shown = {
        "tool": tool,
        "arguments": arguments,
        "effect": claim.effect.value,
        "reads": [_both(path) for path in claim.reads],
        "writes": [_both(path) for path in claim.writes],
        "command": claim.command,
        "cwd": _both(claim.cwd or situation.cwd),
        "environment": sorted(claim.environment.items()),
        "network": claim.network,
        "address": claim.address,
        "query": claim.query,
        "recipient": claim.recipient,
        "body": claim.body,
        "service": claim.service,
        "identity": claim.identity,
        "files": dict(files),
    }
    text = json.dumps(shown, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _both(path: Path) -> list[str]:
    return [str(path), str(resolve(path)[0])]
