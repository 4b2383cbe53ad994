"""Standing answers: which of them a call falls under, and what "always like this" would store.

A rule is compared with the words of one simple command, never with the text of a line: exactly, but for the
few programs of which it is known that no further word of theirs runs or writes anything. Whatever joins,
nests or wraps commands is outside of all rules that allow, and a rule covers the files that its command
runs, as they were when the person gave it. Rules that refuse look into everything.
"""

import os
import time
from pathlib import Path
from urllib.parse import urlsplit

from desktop.config.permissions import Rule
from desktop.origin import Origin
from desktop.text import _
from desktop.tools.base import Claim, Effect
from desktop.tools.permissions.commands import Call, Walk, walk
from desktop.tools.permissions.launchers import SHELLS, base, interpreter
from desktop.tools.permissions.places import inside, memory, resolve
from desktop.tools.permissions.programs import asked_each_time, lead, only_reads, smuggles
from desktop.tools.permissions.reach import named
from desktop.tools.permissions.scripts import Covered, covered
from desktop.tools.permissions.situation import Situation, granted
from desktop.tools.permissions.visible import one_line, visible


def look(claim: Claim, situation: Situation) -> Walk | None:
    """What the claim's command would start."""
    if not claim.command:
        return None
    return walk(claim.command, claim.cwd or situation.cwd, person(), claim.environment)


def person() -> Path:
    """The home of the person; the root where there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def allowing(tool: str, claim: Claim, situation: Situation, found: Walk | None) -> Rule | None:
    """The rule that allows the call."""
    rules = [rule for rule in situation.rules if rule.tool == tool and rule.answer == "allow"]
    return next((rule for rule in rules if _allows(rule, claim, situation, found)), None)


def denying(tool: str, claim: Claim, situation: Situation, found: Walk | None) -> Rule | None:
    """The rule that refuses the call."""
    rules = [rule for rule in situation.rules if rule.tool == tool and rule.answer == "deny"]
    return next((rule for rule in rules if _refuses(rule, claim, situation, found)), None)


def only(found: Walk) -> Call | None:
    """The command, if it is a single simple one that starts nothing else."""
    calls, script = found.calls, found.script
    if not script.plain or script.broken or found.deep or found.doubts or found.code or len(calls) != 1:
        return None
    call = calls[0]
    if not call.argv or asked_each_time(call.program, call.words) or call.argv[0].glob:
        return None
    return call


def _allows(rule: Rule, claim: Claim, situation: Situation, found: Walk | None) -> bool:
    if _changed(claim) or (claim.network and not rule.network):
        return False
    if rule.host and rule.host.casefold() != _host(claim.address):
        return False
    if found is not None:
        return _allows_command(rule, claim, situation, found)
    if rule.program or rule.arguments or claim.effect is Effect.RUN:
        return claim.effect is Effect.RUN and not (rule.program or rule.arguments or rule.folder)
    return not rule.folder or _within(claim, rule.folder)


def _allows_command(rule: Rule, claim: Claim, situation: Situation, found: Walk) -> bool:
    call, cwd = only(found), claim.cwd or situation.cwd
    if call is None or visible(claim.command) != claim.command or (rule.arguments and not rule.program):
        return False
    if rule.program and not _same_program(rule.program, call.argv[0].text, cwd):
        return False
    if not rule.arguments and (call.program in SHELLS or interpreter(call.program)):
        return False
    if not _fits(rule, call, cwd):
        return False
    if rule.folder and not inside(resolve(cwd)[0], resolve(Path(rule.folder))[0]):
        return False
    return not situation.restrict or _stays(rule, situation, found)


def _stays(rule: Rule, situation: Situation, found: Walk) -> bool:
    """Whether what the command is given beyond the rule lies where the agent may read anyway."""
    roots = [resolve(situation.workspace)[0], *(path for path, _write in granted(situation))]
    for place in named(found, person(), skip=1 + len(rule.arguments)):
        path, sure = resolve(Path(place.path))
        there = os.path.lexists(path) or (path.parent.is_dir() and path.parent != Path(path.anchor))
        if not sure or (there and not any(inside(path, root) for root in roots)):
            return False
    return True


def _same_program(wanted: str, given: str, cwd: Path) -> bool:
    """A bare name is compared as it is; one with a folder by where it leads."""
    if os.sep not in given and "/" not in given:
        shadowed = os.name == "nt" and any(
            (cwd / f"{given}{end}").exists() for end in ("", ".exe", ".bat", ".cmd")
        )
        return wanted == given and not shadowed
    return Path(wanted).is_absolute() and Path(wanted) == _absolute(given, cwd)


def _absolute(name: str, cwd: Path) -> Path:
    return Path(os.path.abspath(cwd / name))  # noqa: PTH100 links are kept: the name is what was allowed


def _fits(rule: Rule, call: Call, cwd: Path) -> bool:
    """Whether the words are those of the rule; more of them only where these can do no harm."""
    words, wanted = call.words, rule.arguments
    if len(words) < len(wanted) or smuggles(call.program, words):
        return False
    pairs = zip(words, wanted, strict=False)
    same = all(
        w == want or (Path(want).is_absolute() and _absolute(w, cwd) == Path(want)) for w, want in pairs
    )
    return same and (len(words) == len(wanted) or only_reads(call.program, words))


def reads_only(found: Walk) -> bool:
    """Whether a command is one that only looks and says, whatever its words."""
    call = only(found)
    return call is not None and only_reads(call.program, call.words)


def changes(rule: Rule, found: Walk, situation: Situation) -> list[Covered]:
    """What a rule covers, as far as it is not as it was when the person gave the rule. Blocks."""
    known = dict(rule.files)
    return [one for one in covered(found, situation.workspace) if known.get(str(one.path)) != one.digest]


def _refuses(rule: Rule, claim: Claim, situation: Situation, found: Walk | None) -> bool:
    if rule.host and rule.host.casefold() != _host(claim.address):
        return False
    if (rule.program or rule.arguments) and not any(
        _meant(rule, call) for call in (found.calls if found else ())
    ):
        return False
    if not rule.folder:
        return True
    folder = resolve(Path(rule.folder))[0]
    paths = [*claim.reads, *claim.writes, *([claim.cwd or situation.cwd] if claim.command else [])]
    paths += [Path(place.path) for place in (named(found, person()) if found else ())]
    return any(inside(resolve(path)[0], folder) for path in paths)


def _meant(rule: Rule, call: Call) -> bool:
    if not call.argv or (rule.program and base(rule.program) != call.program):
        return False
    wanted = list(rule.arguments)
    return call.words[: len(wanted)] == wanted or (bool(wanted) and set(wanted) <= set(call.words))


def _within(claim: Claim, folder: str) -> bool:
    root, paths = resolve(Path(folder))[0], [*claim.reads, *claim.writes]
    return bool(paths) and all(sure and inside(real, root) for real, sure in map(resolve, paths))


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def standing(tool: str, claim: Claim, situation: Situation) -> Rule | None:
    """What "always like this" would store; None where one yes is all that can be given."""
    if claim.always_ask or _changed(claim):
        return None
    if situation.marked and not _only_looks(claim, situation):
        return None
    rule = _proposed(tool, claim, situation)
    if rule is None or not _allows(rule, claim, situation, look(claim, situation)):
        return None
    return rule


def _only_looks(claim: Claim, situation: Situation) -> bool:
    """Whether a yes for good can do no harm, though files are in view that nobody vouched for."""
    if situation.view.mark.origin is not Origin.UNKNOWN:
        return False
    found = look(claim, situation)
    return situation.sandboxed and not claim.network and found is not None and reads_only(found)


def _proposed(tool: str, claim: Claim, situation: Situation) -> Rule | None:
    if claim.effect is Effect.RUN:
        return _for_command(tool, claim, situation) if claim.command else None
    if claim.service and claim.effect is Effect.SEND:
        return Rule(tool=tool)
    if claim.service or claim.effect is Effect.SEND:
        return None
    if claim.address:
        host = _host(claim.address)
        return Rule(tool=tool, host=host) if host else None
    if claim.query:
        return Rule(tool=tool)
    return _for_paths(tool, claim, situation)


def _for_command(tool: str, claim: Claim, situation: Situation) -> Rule | None:
    found, cwd = look(claim, situation), claim.cwd or situation.cwd
    call = only(found) if found else None
    arguments = lead(call.program, call.words) if call else None
    if found is None or call is None or arguments is None:
        return None
    files = covered(found, situation.workspace)
    if any(one.digest == "" for one in files):  # too many to be covered
        return None
    program = call.argv[0].text
    if "/" in program or os.sep in program:
        program = str(_absolute(program, cwd))
    if (interpreter(call.program) or call.program in SHELLS) and arguments[0] != "-m":
        arguments = (str(_absolute(arguments[0], cwd)), *arguments[1:])
    return Rule(
        tool=tool,
        program=program,
        arguments=arguments,
        folder=str(cwd),
        network=claim.network,
        files={str(one.path): one.digest for one in files},
        at=time.time(),
    )


def _for_paths(tool: str, claim: Claim, situation: Situation) -> Rule | None:
    paths = [resolve(path) for path in (*claim.writes, *claim.reads)]
    if not paths or not all(sure for _path, sure in paths):
        return None
    real = paths[0][0]
    folder = real if real.is_dir() else real.parent
    wide = folder in {person(), *person().parents}
    return (
        None
        if wide or memory(real, resolve(situation.workspace)[0])
        else Rule(tool=tool, folder=str(folder))
    )


def sentence(rule: Rule) -> str:
    """What the rule says, for a person."""
    what = one_line(" ".join([rule.program, *rule.arguments]))
    refused = rule.answer == "deny"
    if rule.program and refused:
        text = _("Deny: {command}")
    elif rule.program:
        more = only_reads(rule.program, rule.arguments)
        text = _("Allow: {command} (also with more arguments)") if more else _("Allow: {command}")
    elif rule.host:
        text = _("Deny: pages on {host}") if refused else _("Allow: pages on {host}")
    elif rule.folder and refused:
        text = _("Deny: {tool} in {folder}")
    elif rule.folder:
        text = _("Allow: {tool} in {folder}")
    else:
        text = _("Deny: {tool}") if refused else _("Allow: {tool}")
    told = text.format(
        command=what, host=one_line(rule.host), folder=one_line(rule.folder), tool=one_line(rule.tool)
    )
    if rule.program and rule.folder:
        told = _("{rule}, in {folder}").format(rule=told, folder=one_line(rule.folder))
    return _("{rule}, with network access").format(rule=told) if rule.network else told


def _changed(claim: Claim) -> bool:
    """Whether the call has another environment than commands usually have: folders that the person's own
    settings add to PATH are usual."""
    return bool(set(claim.environment) - {"PATH"})
