"""Standing answers: what they cover, what gets past none of them, and what "always like this" stores."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.config.permissions import Rule
from desktop.tools.base import Claim, Effect
from desktop.tools.permissions.policy import Verdict, decide
from desktop.tools.permissions.rules import sentence, standing
from tests.unit.tools.permissions.conftest import Make

PAST = {
    "chained with ;": "git status; touch x",
    "chained with &&": "git status && touch x",
    "chained with ||": "git status || touch x",
    "chained with &": "git status & touch x",
    "piped": "git status | touch x",
    "on the next line": "git status\ntouch x",
    "in the background": "git status &",
    "substituted": "git status $(touch x)",
    "substituted in quotes": 'git status "$(touch x)"',
    "in backticks": "git status `touch x`",
    "process substitution": "git status <(touch x)",
    "comment tail": "touch x # git status",
    "comment tail after the allowed one": "git status # touch x",
    "redirected": "git status > x",
    "redirected in": "git status < x",
    "a variable": "git status $X",
    "an assignment": "GIT_PAGER=x git status",
    "braces": "git status {a,b}",
    "a group": "(git status)",
    "negated": "! git status",
    "env": "env git status",
    "sh -c": "sh -c 'git status'",
    "nohup": "nohup git status",
    "command": "command git status",
    "xargs": "xargs git status",
    "time": "time git status",
    "a pattern as the program": "gi? status",
    "another program of that name": "./git status",
    "an option before": "git -c core.pager=x status",
    "other arguments": "git stash",
    "only the beginning of a word": "git statusx",
    "an option that runs code": "git status --exec=x",
    "a shortened option that runs code": "git status --upload-p x",
    "a control character": "git status \x1b[2J",
    "bidi": "git status \u202ex",
}


@pytest.mark.parametrize("way", PAST)
def test_no_way_past_a_rule(make: Make, way: str) -> None:
    """Chained commands, comment tails, wrappers and substitutions are not what the person allowed."""
    decision = make.run(PAST[way], rules=[make.rule("git", "status")])
    assert decision.verdict is Verdict.ASK


@pytest.mark.parametrize("way", PAST)
def test_no_way_past_a_rule_for_every_command(make: Make, way: str) -> None:
    if way not in {"other arguments", "only the beginning of a word", "another program of that name"}:
        assert make.run(PAST[way], rules=[make.rule()]).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git status --short",
        "'git' \"status\"",
        " git status ",
        "git status *.py",
        "git status a.txt",
    ],
)
def test_a_rule_allows_its_command(make: Make, command: str) -> None:
    decision = make.run(command, rules=[make.rule("git", "status")])
    assert (decision.verdict, decision.reason) == (Verdict.ALLOW, "rule")
    assert "git status" in decision.text


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        (("python3",), "python3 -c 'print(1)'"),
        (("python3",), "python3 a.py"),
        (("bash",), "bash -c ls"),
        (("perl", "-e"), "perl -e print"),
        (("find", "."), "find . -exec ls {} ;"),
        (("find", "."), "find . -delete"),
        (("xargs",), "xargs ls"),
        (("sudo",), "sudo ls"),
        (("env",), "env"),
        (("eval",), "eval ls"),
        (("awk",), "awk '{ print }' x"),
        (("tar", "-cf"), "tar -cf x --checkpoint-action=exec=sh x"),
        (("make",), "make SHELL=x"),
        (("curl",), "curl http://x.example"),
        (("git",), "git -c a=b status"),
    ],
)
def test_no_rule_is_enough_for_programs_that_run_others(
    make: Make, rule: tuple[str, ...], command: str
) -> None:
    assert make.run(command, rules=[make.rule(*rule)]).verdict is Verdict.ASK


def test_a_rule_counts_beside_marked_text_only_for_what_stays(make: Make) -> None:
    rules = [make.rule("git", "status"), make.rule("mytool", "up", network=True)]
    assert make.run("git status", rules=rules, outside=True).verdict is Verdict.ALLOW
    decision = make.run("mytool up", {"network": True}, rules=rules, outside=True)
    assert (decision.verdict, decision.reason) == (Verdict.ASK, "outside")
    folders = [(make.me / "docs", True)]
    assert make.run("git status", rules=rules, outside=True, folders=folders).writable == ()
    rules = [make.rule("mytool", "x")]
    assert make.run("mytool x", rules=rules, folders=folders).writable == (make.me / "docs",)
    assert make.run("mytool x", rules=rules, outside=True, folders=folders).verdict is Verdict.ASK


def test_a_rule_means_the_exact_words(make: Make) -> None:
    rules = [make.rule("make", "report"), make.rule("sed", "-n", "1p", "a"), make.rule("git", "log")]
    assert make.run("make report", rules=rules).verdict is Verdict.ALLOW
    assert make.run("git log --oneline -5", rules=rules).verdict is Verdict.ALLOW
    for command in (
        "make report extra",
        "sed -n 1p a -e '1e ./x.sh'",
        "git log --output=x",
        "git log --ext-diff",
        "git log --made-up",
    ):
        assert make.run(command, rules=rules).verdict is Verdict.ASK


def test_a_rule_with_a_folder_counts_only_there(make: Make) -> None:
    rule = make.rule("ls", folder=str(make.workspace))
    assert make.run("ls", rules=[rule]).verdict is Verdict.ALLOW
    elsewhere = Claim(Effect.RUN, "gist", command="ls", cwd=make.me / "docs")
    assert decide("exec", elsewhere, make.situation([rule])).verdict is Verdict.ASK


def test_a_rule_does_not_lend_its_command_files_that_the_agent_may_not_read(make: Make) -> None:
    (make.me / "docs" / "letter").write_text("x")
    (make.workspace / "link").symlink_to(make.me / "docs")
    rules = [make.rule("cat")]
    assert make.run("cat a.txt", rules=rules).verdict is Verdict.ALLOW
    for name in (make.me / "docs" / "letter", "../../docs/letter", "~/docs/letter", "link/letter"):
        assert make.run(f"cat {name}", rules=rules).verdict is Verdict.ASK
        assert (
            make.run(f"cat {name}", rules=rules, folders=[(make.me / "docs", False)]).verdict
            is Verdict.ALLOW
        )
        assert make.run(f"cat {name}", rules=rules, restrict=False).verdict is Verdict.ALLOW


def test_the_network_needs_a_rule_that_grants_it(make: Make) -> None:
    asks = {"network": True}
    assert make.run("git fetch", asks, rules=[make.rule("git", "fetch")]).verdict is Verdict.ASK
    granted = make.run("git fetch", asks, rules=[make.rule("git", "fetch", network=True)])
    assert granted.verdict is Verdict.ALLOW
    assert granted.network
    assert not make.run("git fetch", rules=[make.rule("git", "fetch")]).network


def test_a_changed_environment_is_under_no_rule(make: Make) -> None:
    rules = [make.rule("git", "status")]
    changed = {"environment": {"GIT_DIR": "/tmp/other"}}
    assert make.run("git status", changed, rules=rules).verdict is Verdict.ASK
    usual = {"environment": {"PATH": "... /opt/tools"}}
    assert make.run("git status", usual, rules=rules).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "command",
    ["git push", "/usr/bin/git push", "ls; git push", "sudo git push", "sh -c 'git push'", "git --x push"],
)
def test_a_refusal_looks_into_everything(make: Make, command: str) -> None:
    rules = [make.rule(), make.rule("git", "push", answer="deny")]
    decision = make.run(command, mode="autonomous", rules=rules)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "rule")
    assert make.run("git status", rules=rules).verdict is Verdict.ALLOW


def test_refusals_of_a_host_and_a_folder(make: Make) -> None:
    host = Rule(tool="web_fetch", answer="deny", host="Bad.example")
    fetch = Claim(Effect.READ, "gist", address="https://bad.EXAMPLE/x")
    assert decide("web_fetch", fetch, make.situation([host])).verdict is Verdict.DENY
    folder = Rule(tool="write_file", answer="deny", folder=str(make.workspace / "keep"))
    assert make.write(make.workspace / "keep" / "a", rules=[folder]).verdict is Verdict.DENY
    assert make.write(make.workspace / "keeper", rules=[folder]).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("command", "program", "arguments"),
    [
        ("git status --short", "git", ("status",)),
        ("ls -la", "ls", ()),
        ("npm run build -- --fast", "npm", ("run", "build", "--", "--fast")),
        ("cargo test x", "cargo", ("test", "x")),
        ("make test", "make", ("test",)),
        ("mytool --go x", "mytool", ("--go", "x")),
        ("python3 -m pytest x", "python3", ("-m", "pytest", "x")),
        ("git push origin main", "git", ("push", "origin", "main")),
    ],
)
def test_always_like_this_binds_to_words(
    make: Make, command: str, program: str, arguments: tuple[str, ...]
) -> None:
    rule = standing("exec", make.command(command), make.situation())
    assert rule
    assert (rule.program, rule.arguments, rule.folder) == (program, arguments, str(make.workspace))
    assert make.run(command, rules=[rule]).verdict is Verdict.ALLOW
    assert program in sentence(rule)


def test_scripts_are_bound_to_where_they_lie(make: Make) -> None:
    (make.workspace / "x.py").write_text("")
    (make.workspace / "run.sh").write_text("")
    rule = standing("exec", make.command("python3 x.py --fast"), make.situation())
    assert rule
    assert rule.arguments == (str(make.workspace / "x.py"), "--fast")
    assert make.run("python3 ./x.py --fast", rules=[rule]).verdict is Verdict.ALLOW
    assert make.run("python3 ./x.py", rules=[rule]).verdict is Verdict.ASK
    assert make.run("python3 y.py", rules=[rule]).verdict is Verdict.ASK
    rule = standing("exec", make.command("./run.sh a"), make.situation())
    assert rule
    assert rule.program == str(make.workspace / "run.sh")
    assert make.run("./run.sh a b", rules=[rule]).verdict is Verdict.ASK
    elsewhere = Claim(Effect.RUN, "gist", command="./run.sh a", cwd=make.workspace / "skills")
    assert decide("exec", elsewhere, make.situation([rule])).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "command",
    [
        *(
            "rm x",
            "mv a b",
            "dd if=a of=b",
            "chmod -R 7 x",
            "kill 1",
            "curl http://x.example",
            "cd x",
            "FOO=1 ls",
        ),
        *(
            "sudo ls",
            "sh -c ls",
            "python3 -c 'x'",
            "python3",
            "bash",
            "env ls",
            "find . -exec ls {} ;",
            "ls | wc",
        ),
        *(
            "ls; ls",
            "ls > x",
            "ls $X",
            "ls # x",
            "git -c a=b status",
            "awk '{}'",
            "perl -e 1",
            "ls &",
            "eval ls",
            "",
        ),
    ],
)
def test_always_like_this_is_not_offered(make: Make, command: str) -> None:
    assert standing("exec", make.command(command), make.situation()) is None


def test_always_like_this_for_other_tools(make: Make) -> None:
    at = make.situation()
    docs = make.me / "docs"
    write = Claim(Effect.WRITE, "gist", writes=(docs / "a.txt",))
    rule = standing("write_file", write, at)
    assert rule == Rule(tool="write_file", folder=str(docs))
    assert make.write(docs / "b.txt", rules=[rule]).verdict is Verdict.ALLOW
    assert make.write(docs / "b.txt", rules=[rule], outside=True).verdict is Verdict.ASK
    read = Claim(Effect.READ, "gist", reads=(docs,))
    assert standing("list_dir", read, at) == Rule(tool="list_dir", folder=str(docs))
    fetch = Claim(Effect.READ, "gist", address="https://News.example:8/a?b")
    assert standing("web_fetch", fetch, at) == Rule(tool="web_fetch", host="news.example")
    assert standing("message", Claim(Effect.SEND, "gist", recipient="you"), at) is None
    assert (
        standing("write_file", Claim(Effect.WRITE, "gist", writes=(make.workspace / "SOUL.md",)), at)
        is None
    )
    assert standing("write_file", Claim(Effect.WRITE, "gist", writes=(make.me / "a.txt",)), at) is None
    assert standing("write_file", write, make.situation(outside=True)) is None


WORDS = st.sampled_from(
    [
        "git",
        "status",
        "ls",
        ";",
        "&&",
        "|",
        "\n",
        "$(",
        ")",
        "`",
        "'",
        '"',
        "#",
        "<",
        ">",
        "&",
        "x",
        "$X",
        "\\",
        "(",
        "{",
        "}",
    ]
)
OPERATORS = (";", "&", "|", "\n", "$(", "`", "<", ">", "(", ")", "$", "#")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(WORDS, st.sampled_from(["", " "])), max_size=12))
def test_a_command_under_a_rule_has_no_operator(make: Make, pieces: list[tuple[str, str]]) -> None:
    command = "".join(word + blank for word, blank in pieces)
    if make.run(command, rules=[make.rule()]).verdict is Verdict.ALLOW:
        bare = _unquoted(command.strip())
        assert not any(sign in bare for sign in OPERATORS if sign != "#")


def _unquoted(command: str) -> str:
    """The command without what quotes and escapes make plain text: an independent, simpler reading."""
    kept, quote, escaped = [], "", False
    for sign in command:
        if escaped:
            escaped = False
        elif sign == "\\" and quote != "'":
            escaped = True
        elif quote:
            kept += [sign] if quote == '"' and sign in "$`" else []
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        else:
            kept.append(sign)
    return "".join(kept)


def test_rules_are_told_in_words() -> None:
    rules = [
        Rule(tool="exec", program="git", arguments=("status",), folder="/ws", network=True),
        Rule(tool="exec", program="git", answer="deny"),
        Rule(tool="web_fetch", host="a.example"),
        Rule(tool="web_fetch", host="a.example", answer="deny"),
        Rule(tool="write_file", folder=str(Path("/ws"))),
        Rule(tool="write_file", folder="/ws", answer="deny"),
        Rule(tool="web_search"),
        Rule(tool="web_search", answer="deny"),
    ]
    assert len({sentence(rule) for rule in rules}) == len(rules)
    assert "\u202e" not in sentence(Rule(tool="exec", program="a\u202eb"))
