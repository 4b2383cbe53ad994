"""Whether a call runs, is asked about, or is refused.

In this order, and the first refusal stands: what is never run, the closed places, the person's own
refusals; then what the mode, the granted folders and the standing answers say.

While untrusted or unknown text is in view (`Situation.marked`), whatever mode and standing answers say:

- what leaves this computer asks: an address that neither the person nor a trusted text gave (a few that
  pages gave are free), a search in other words than the person's, the network of a command, a message to
  others, an MCP server (unless the person said that it is on this computer and only reads);
- what lasts asks: long-term memory, skills, jobs, reminders, writes outside the workspace, files that
  programs run or obey later;
- what stays in the sandbox and the workspace is judged as ever, and what it makes is marked.
"""

from dataclasses import replace
from pathlib import Path

from desktop.text import _
from desktop.tools.base import Claim, Effect
from desktop.tools.permissions.commands import Walk
from desktop.tools.permissions.guard import Finding, guard
from desktop.tools.permissions.places import Fences, fences, inside, memory, odd, resolve, special
from desktop.tools.permissions.project_files import runs_later
from desktop.tools.permissions.reach import closed, gathers, named
from desktop.tools.permissions.rules import allowing, denying, look, person, reads_only, sentence
from desktop.tools.permissions.situation import Decision, Situation, Verdict, granted
from desktop.tools.permissions.visible import one_line

__all__ = ["Decision", "Situation", "Verdict", "decide", "fence", "hidden"]

CLOSED = (
    "This place is closed to the agent in every mode. Go on without it, or ask the person to do this step."
)


def decide(tool: str, claim: Claim, situation: Situation) -> Decision:
    """The judgement on one call."""
    found = look(claim, situation)
    finding = guard(found, person()) if found else None
    if finding and finding.denied:
        return Decision(Verdict.DENY, "guard", finding.text, finding.hint)
    if found and not finding and gathers(found, fences(situation.home, situation.workspace)):
        finding = Finding(
            False, _("The command uses a whole folder that contains keys or other protected places.")
        )
    return (
        _fenced(claim, situation, found)
        or _refused(tool, claim, situation, found)
        or _Judge(tool, claim, situation, found, finding).judge()
    )


def fence(path: Path, situation: Situation, writing: bool = False) -> bool:
    """Whether a place is closed: for tools that walk through folders, which leave it out."""
    fence = fences(situation.home, situation.workspace)
    return bool(fence.why(path, writing) or fence.why(resolve(path)[0], writing))


def hidden(situation: Situation) -> tuple[Path, ...]:
    """The closed places that exist: a sandbox hides them."""
    return tuple(root for root in fences(situation.home, situation.workspace).roots if root.exists())


def _fenced(claim: Claim, situation: Situation, found: Walk | None) -> Decision | None:
    fence = fences(situation.home, situation.workspace)
    for paths, writing in ((claim.reads, False), (claim.writes, True)):
        for path in paths:
            if refusal := _closed_path(path, writing, fence):
                return refusal
    folder = [claim.cwd] if claim.cwd else []
    if any(fence.why(place, False) for path in folder for place in (path, resolve(path)[0])):
        return _shut("fence")
    why = closed(found, person(), fence) if found else ""
    return _shut(why) if why else None


def _closed_path(path: Path, writing: bool, fence: Fences) -> Decision | None:
    real, _sure = resolve(path)
    why = fence.why(path, writing) or fence.why(real, writing)
    if why:
        return _shut(why)
    if odd(path) or special(path):
        hint = "Only plain files and folders can be read or written."
        return Decision(Verdict.DENY, "fence", _("This is a device or a pipe, not a file."), hint)
    return None


def _shut(why: str) -> Decision:
    if why == "own":
        text = _("Only the program itself writes these workspace files.")
        return Decision(
            Verdict.DENY, "own", text, "These files may be read, but not written. Use another file."
        )
    text = _(
        "The agent has no access here: it contains keys, browser data, startup items or files of this "
        "program."
    )
    return Decision(Verdict.DENY, "fence", text, CLOSED)


def _refused(tool: str, claim: Claim, situation: Situation, found: Walk | None) -> Decision | None:
    rule = denying(tool, claim, situation, found)
    if rule is None:
        return None
    text = _("Your rule: {rule}").format(rule=sentence(rule))
    return Decision(
        Verdict.DENY, "rule", text, "The person does not want this. Do not try it in another way."
    )


class _Judge:
    """Judges a call that nothing forbids. Each aspect of it gives an answer; a question outweighs a yes."""

    def __init__(
        self, tool: str, claim: Claim, situation: Situation, found: Walk | None, finding: Finding | None
    ) -> None:
        self.claim, self.at, self.finding = claim, situation, finding
        rule = allowing(tool, claim, situation, found)
        self.altered = sorted(situation.altered) if rule else []
        """What the standing answer covers and others than the person changed: it is void."""
        self.found, self.only_reads = found, bool(found and reads_only(found))
        self.rule = None if self.altered else rule
        self.workspace = resolve(situation.workspace)[0]
        self.folders = granted(situation)

    def judge(self) -> Decision:
        claim = self.claim
        if self.altered:
            return self._ask("changed", _altered(self.altered))
        answers = [self._read(path) for path in claim.reads] + [self._write(path) for path in claim.writes]
        if claim.always_ask:
            answers.append(self._ask("always", claim.always_ask))
        if self.at.marked and claim.lasts:
            answers.append(self._ask("outside", _lasting()))
        if self.at.marked and claim.service and not claim.stays:
            answers.append(self._ask("outside", _after_outside()))
        if claim.address:
            answers.append(self._address())
        if claim.query:
            answers.append(self._query())
        if claim.effect is Effect.RUN:
            answers.append(self._run())
        elif claim.effect is Effect.SEND:
            answers.append(self._send())
        elif claim.effect is Effect.WRITE and not claim.writes:
            answers.append(self._change())
        asked = next((answer for answer in answers if answer.verdict is Verdict.ASK), None)
        return asked or (answers[-1] if answers else self._yes())

    def _yes(self, reason: str = "mode") -> Decision:
        if reason == "rule" and self.rule:
            text = _("Your rule: {rule}").format(rule=sentence(self.rule))
        elif reason == "folder":
            text = _("You granted the agent access to this folder.")
        else:
            text = _("This mode doesn’t ask.")
        return Decision(Verdict.ALLOW, reason, text)

    def _ask(self, reason: str, text: str) -> Decision:
        return Decision(Verdict.ASK, reason, text)

    def _standing(self, reason: str, text: str) -> Decision:
        """A yes of the mode or of a rule, while nothing marked is in view; else the question."""
        if self.at.marked:
            return self._ask("outside", _after_outside())
        return self._inside(reason, text)

    def _inside(self, reason: str, text: str) -> Decision:
        """The same for what stays in the sandbox or the workspace: marked text changes nothing."""
        if self.at.mode == "autonomous":
            return self._yes()
        return self._yes("rule") if self.rule else self._ask(reason, text)

    def _place(self, path: Path, writing: bool) -> str:
        real, sure = resolve(path)
        if not sure:
            return "unresolved"
        if inside(real, self.workspace):
            return "memory" if memory(real, self.workspace) else "workspace"
        open_here = any(inside(real, root) and (write or not writing) for root, write in self.folders)
        return "folder" if open_here else "elsewhere"

    def _read(self, path: Path) -> Decision:
        place = self._place(path, writing=False)
        if place == "unresolved":
            return self._ask("unresolved", _("It can’t be determined where this path leads."))
        if place != "elsewhere":
            return self._yes("folder" if place == "folder" else "mode")
        if self.at.free or (not self.at.restrict and self.at.mode != "ask"):
            return self._yes()
        return (
            self._yes("rule")
            if self.rule
            else self._ask("outside_places", _("It reads outside the workspace."))
        )

    def _write(self, path: Path) -> Decision:
        place = self._place(path, writing=True)
        always = self.at.mode == "ask"
        if place == "unresolved":
            return self._ask("unresolved", _("It can’t be determined where this path leads."))
        if place == "memory" and self.at.marked:
            text = _(
                "It changes the agent’s long-term memory, and the conversation contains text that is not "
                "yours."
            )
            return self._ask("memory", text)
        if place == "workspace" and self.at.marked and runs_later(self._in_workspace(path)):
            text = _(
                "Programs run or follow this file later, and text that is not yours may have asked for it."
            )
            return self._ask("outside", text)
        if place in {"workspace", "memory"}:
            return self._inside("mode", _changing()) if always else self._yes()
        if place == "folder" and not always and not self.at.marked:
            return self._yes("folder")
        return self._standing("outside_places", _("It writes outside the workspace."))

    def _in_workspace(self, path: Path) -> Path:
        real = resolve(path)[0]
        return real.relative_to(self.workspace) if real.is_relative_to(self.workspace) else real

    def _change(self) -> Decision:
        """Something of the program's own that lasts, such as a job."""
        if self.at.mode == "ask":
            return self._standing("mode", _("This changes something."))
        return self._yes()

    def _address(self) -> Decision:
        if self.at.marked and not self.at.view.free(self.claim.address):
            return self._ask("outside", _("This address was not given by you or by trusted text."))
        if self.at.mode != "ask":
            return self._yes()
        return self._inside("mode", _("You chose to be asked before pages are opened."))

    def _query(self) -> Decision:
        if self.at.marked and not self.at.view.said(self.claim.query):
            return self._ask("outside", _("It searches for words that are not yours."))
        if self.at.mode != "ask":
            return self._yes()
        return self._inside("mode", _("You chose to be asked before searches."))

    def _run(self) -> Decision:
        writable = tuple(root for root, write in self.folders if write)
        risky = _("It runs a command on this computer.")
        readable = tuple(root for root, write in self.folders if not write)
        leaves = not self.at.sandboxed or self.claim.network or bool(writable and not self.only_reads)
        reason = "outside" if self.at.marked and leaves else "risky"
        if self.finding:
            answer = self._ask(reason, self.finding.text)
        elif not self.at.sandboxed:
            answer = self._ask(reason, _("There is no sandbox: commands can do anything you can."))
        elif leaves:
            answer = self._standing("risky", risky)
        else:
            answer = self._inside("risky", risky)
        if self.at.marked and answer.verdict is Verdict.ALLOW:
            # What stays in the sandbox writes to the workspace alone.
            writable, readable = (), (*readable, *writable)
        allowed = answer.verdict is Verdict.ALLOW
        rule = self.rule if allowed and answer.reason == "rule" else None
        network = allowed and self.claim.network
        given = replace(answer, network=network, writable=writable, readable=readable, rule=rule)
        return replace(given, apart=self._is_apart())

    def _is_apart(self) -> bool:
        """Whether a command has no business in the workspace."""
        if inside(resolve(self.claim.cwd or self.at.cwd)[0], self.workspace) or self.found is None:
            return False
        names = (str(self.at.workspace), str(self.workspace))
        if any(name in self.claim.command for name in names):
            return False
        places = (Path(place.path) for place in named(self.found, person()))
        return not any(inside(resolve(place)[0], self.workspace) for place in places)

    def _send(self) -> Decision:
        if self.claim.service:
            judged = self._inside if self.claim.stays else self._standing
            return judged("risky", _("It uses an MCP server, which may do anything with what it receives."))
        if self.claim.recipient in {"", self.at.session}:
            return self._yes("own")
        return self._standing("risky", _("It sends to another conversation."))


def _after_outside() -> str:
    return _("The conversation contains text that is not yours, which may have asked for this.")


def _lasting() -> str:
    return _("It has a lasting effect, and text that is not yours may have asked for it.")


def _altered(paths: list[str]) -> str:
    names = ", ".join(one_line(Path(path).name) for path in paths)
    return _("{files} changed since you allowed this, and not by you.").format(files=names)


def _changing() -> str:
    return _("You chose to be asked before changes.")
