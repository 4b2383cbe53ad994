"""Two questions in a row: each answer is read beside its own question, in memory and from the file."""

from pathlib import Path

from desktop.session.sessions import Sessions


async def test_an_answer_stands_after_its_own_question(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    session = await sessions.open("s")
    for role, content, turn in [
        ("user", "first?", "1"),
        ("user", "second?", "2"),
        ("assistant", "first!", "1"),
    ]:
        await session.append({"role": role, "content": content, "_turn": turn})
    spoken = ["first?", "first!", "second?"]
    assert [m["content"] for m in session.history(1_000)] == spoken
    assert session.unanswered
    await session.append({"role": "assistant", "content": "second!", "_turn": "2"})
    sessions.close()
    again = await Sessions(tmp_path).open("s")
    assert [m["content"] for m in again.history(1_000)] == [*spoken, "second!"]
    assert [m["content"] for m in await again.everything()] == [*spoken, "second!"]
    assert not again.unanswered


async def test_a_budget_still_begins_at_a_question_after_reordering(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("s")
    for number in range(50):
        await session.append({"role": "user", "content": f"q{number} " * 20, "_turn": f"{number}"})
        await session.append({"role": "user", "content": f"r{number} " * 20, "_turn": f"r{number}"})
        await session.append({"role": "assistant", "content": f"a{number} " * 20, "_turn": f"{number}"})
        await session.append({"role": "assistant", "content": f"b{number} " * 20, "_turn": f"r{number}"})
        shown = session.history(400)
        assert shown[0]["role"] == "user"
        assert [m["role"] for m in shown] == ["user", "assistant"] * (len(shown) // 2)
