"""One whole story with the built-in model: no key, no settings, a right answer, a conversation, an end."""

import psutil

from tests.stories.program import Program, read_event


def test_a_first_answer_without_any_key(with_model: Program) -> None:
    assert with_model.run("doctor").returncode == 0
    listed = with_model.events("local", "list")[0]["models"]
    assert [m["id"] for m in listed if m["installed"] and m["selected"]] == ["qwen2.5-coder-0.5b-instruct"]

    with with_model.started("chat", "--json") as chat:
        assert chat.stdin is not None
        chat.stdin.write("What is the capital of France?\n")
        chat.stdin.flush()
        assert "small model" in read_event(chat, "turn_started")["note"]
        assert "Paris" in read_event(chat, "turn_finished")["text"]

        chat.stdin.write("Name one famous tower there.\n")
        chat.stdin.flush()
        spent = read_event(chat, "usage_recorded")
        assert spent["provider"] == "builtin"
        assert 0 < spent["input_tokens"] < 700
        assert read_event(chat, "turn_finished")["text"]

        states = {s["name"]: s["state"] for s in with_model.events("status")[0]["running"]["services"]}
        assert states == {
            "model_host": "running",
            "builtin-model": "running",
            "dream": "off",
            "cron": "off",
            "heartbeat": "off",
        }
        assert with_model.events("local", "stop")[0]["was"] == "running"
        family = psutil.Process(chat.pid).children(recursive=True)
        assert not [child for child in family if "--engine" in " ".join(child.cmdline())]
        rest = psutil.Process(chat.pid).children(recursive=True)
        chat.kill()
        chat.wait(60)
    _gone, alive = psutil.wait_procs(rest, timeout=10)
    assert not alive, "nothing outlives the program"

    shown = with_model.events("sessions", "show")
    assert [m["role"] for m in shown] == ["user", "assistant", "user", "assistant"]
