"""Which tool the words of a person ask for, where a small model answers."""

import pytest

from desktop.agent.small_model import Want, shown, wanted


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Remind me in 20 minutes to call Anna", "cron"),
        ("please set a reminder: dentist at 3 pm", "cron"),
        ("Wake me at 7", "cron"),
        ("Erinnere mich morgen an den Müll", "cron"),
        ("明天下午三点提醒我开会", "cron"),
        ("Add butter to shopping.txt", "add_line"),
        ("put apples on the list in shopping.txt", "add_line"),
        ("append 'x' to my todo.md please", "add_line"),
        ("把黄油加到shopping.txt里", "add_line"),
        ("Change milk to oat milk in shopping.txt", "edit_file"),
        ("remove eggs from shopping.txt", "edit_file"),
        ("把shopping.txt里的牛奶改成豆奶", "edit_file"),
        ("Write hello into greeting.txt", "write_file"),
        ("put the number 42 into answer.txt", "write_file"),
        ("I need a file readme.txt with the sentence: This is a test", "write_file"),
        ("Create hello.md with a short poem about rain", "write_file"),
        ("把“你好”写入 hello.txt", "write_file"),
        ("What is in shopping.txt?", "read_file"),
        ("when is the dentist, see notes.txt", "read_file"),
        ("shopping.txt 里有什么？", "read_file"),
        ("Which files do I have?", "list_dir"),
        ("list my files", "list_dir"),
        ("我有哪些文件？", "list_dir"),
        ("Which file mentions the dentist?", "search_files"),
        ("search my notes for rent", "search_files"),
        ("Look at https://example.org/x", "web_fetch"),
    ],
)
def test_the_words_name_the_tool(text: str, tool: str) -> None:
    assert wanted(text).must_call == (tool,)


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Thanks, that is all.",
        "What is the capital of France?",
        "Write a poem about rain.",
        "Add 12 and 30.",
        "What is 3.5 times 2?",
        "How do I change a tyre?",
        "今天星期几？",
        "谢谢！",
    ],
)
def test_what_needs_no_tool_has_none(text: str) -> None:
    assert wanted(text) == Want(False)


def test_where_it_is_not_sure_the_model_chooses() -> None:
    assert wanted("The file is important to me") == Want(True)
    assert wanted("Please have a look", files=True) == Want(True)


def test_a_tool_that_refused_is_called_once_more_or_another_in_its_place() -> None:
    assert wanted("write x into a.txt").after("write_file") == ("add_line", "edit_file")
    assert wanted("add x to a.txt").after("add_line") == ("add_line",)
    assert Want(True).after("read_file") == ()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("What is in shopping.txt?", True),
        ("Read todo.md to me", True),
        ("show me notes.txt", True),
        ("shopping.txt 里有什么？", True),
        ("How many things are in shopping.txt?", False),
        ("Read notes.txt and tell me when the dentist is", False),
        ("Summarise notes.txt", False),
    ],
)
def test_a_question_that_the_text_answers_is_answered_by_it(text: str, plain: bool) -> None:
    assert wanted(text).as_it_is is plain


def test_what_a_tool_found_reads_as_an_answer() -> None:
    assert shown("list_dir", "a.txt (3 bytes)\nb/") == "- a.txt (3 bytes)\n- b/"
    text = "   1| milk\n   2| bread\n\n(This is the end of the file.)"
    assert shown("read_file", text) == "```\nmilk\nbread\n```"
    assert shown("read_file", "   1| ```x```") == "```x```"
