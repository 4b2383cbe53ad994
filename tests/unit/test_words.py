"""The words of the program: one term for one thing, in both languages, as desktop/README.md lists them.

A word in a table here was used once and is not any more; the text beside it says what to write instead.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).parent.parent.parent
CATALOGUE = ROOT / "resources/translations/zh_CN/LC_MESSAGES/nanobot.po"
FUNCTIONS = {"_", "mark", "ngettext"}

RETIRED = {
    r"instead of it\b": "Fallback models",
    r"model that sees|\bit sees\b": "Vision model",
    r"\busual\b": "default",
    r"\b(take|takes|taken) (it )?back": "Undo, undone",
    r"\bdo again\b": "Redo",
    r"write it otherwise": "Edit",
    r"\banew\b": "again; of an answer: Regenerate",
    r"\b(take|go|goes) along\b": "Attach, Attachments",
    r"\b(bring|brings|brought) (it )?back": "Restore; of an archived conversation: Unarchive",
    r"\b(day|month) may cost": "Daily budget, Monthly limit",
    r"object in braces": "JSON object",
    r"know better of": "Override",
    r"\bat work\b": "working, running",
    r"standing answer|like this from now on|always like this": "Always allow, Always allowed",
    r"from outside|outside text|\bin view\b": "untrusted content",
    r"\bvouch": "confirm as yours",
    r"\bsum(s|med)? up\b|\bsumming up\b": "summarize",
    r"\bmade up for\b": "run late",
    r"\bcut short\b|is no whole\b": "incomplete, not complete",
    r"\bswitch(ed)? (\w+ ){0,3}(on|off)\b": "turn on, turn off; as a state: on, off",
    r"\bby itself\b|by themselves": "automatically",
    r"\bcannot\b": "can’t",
    r"\bappointments?\b": "tasks, reminders",
    r"\b(go|goes|going) on\b(?!”)": "continue; after a pause: resume",
    r"\bfetch(ed|ing)?\b": "download",
    r"\bpictures?\b": "image",
    r"\bjobs?\b(?!\.json)": "task",
    r"\b(say|says|your|a) yes\b|your word\b": "approve, approval",
    r"\brefuse[sd]?\b": "deny; of a server: reject",
    r"came of it": "result",
    r"\bpassed over\b": "skipped",
    r"\bmend(s|ed|ing)?\b": "repair, fix",
    r"\bshall\b": "should",
    r"\bcalled (\{|“)": "named",
    r"\bby hand\b": "manually",
    r"\bof yours\b": "your",
    r"(?<!here )\b(is|was) no (file|folder|date|number|text|whole|object|address|list)\b": "is not a",
    r"licence(?!\})|\b(minimis|customis|summaris|recognis)|catalogue|colour|cancelled": "American spelling",
    r"[a-z]'[a-z]": "the apostrophe ’",
    r"\d ?%%? (full|used)|\} %": "a % directly after the number",
}

RETIRED_CHINESE = {
    "您": "你",
    "词元|令牌": "token",
    "智能体": "助手",
    "子助手": "子代理",
    "沙盒": "沙箱",
    "服务商": "提供商",
    "撤回": "撤销",
    "重新回答": "重新生成",
    "替代模型": "备用模型",
    "常用模型": "默认模型",
    "能看图的模型": "视觉模型",
    "长期答复|以后都这样": "始终允许",
    "外部文[本字]|外来文本|外来内容": "不可信内容",
    "再试一次|请再试$": "重试",
    "标头": "请求头",
    '(?<!")……': "one …",
}


def _words(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in FUNCTIONS:
                found = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                yield from (value for value in found if isinstance(value, str))


def english() -> Iterator[tuple[str, str]]:
    """Each sentence in the source, with its file."""
    for path in sorted((ROOT / "desktop").rglob("*.py")):
        for sentence in _words(ast.parse(path.read_text("utf-8"))):
            yield str(path.relative_to(ROOT)), sentence


def chinese() -> Iterator[tuple[str, str]]:
    """Each translation, with the sentence it is of."""
    with CATALOGUE.open("rb") as file:
        for message in read_po(file, locale="zh_CN"):
            forms = message.string if isinstance(message.string, tuple) else (message.string,)
            if message.id:
                yield from ((str(message.id), str(form)) for form in forms)


def retired(sentences: Iterable[tuple[str, str]], table: dict[str, str]) -> list[str]:
    """One line for each word of the table that is used: where, the sentence, what to write."""
    words = [(re.compile(word, re.IGNORECASE), use) for word, use in table.items()]
    return [
        f"{where}: {sentence!r}: write {use}"
        for where, sentence in sentences
        for word, use in words
        if word.search(sentence)
    ]


def test_no_sentence_uses_a_retired_word() -> None:
    assert retired(english(), RETIRED) == []


def test_no_translation_uses_a_retired_word() -> None:
    assert retired(chinese(), RETIRED_CHINESE) == []


@pytest.mark.parametrize(
    ("sentence", "table"),
    [
        ("Instead of it", RETIRED),
        ("Model that sees", RETIRED),
        ("Write it otherwise: what was said after it leaves the conversation.", RETIRED),
        ("It is no object in braces.", RETIRED),
        ("What you know better of {model}", RETIRED),
        ("Context: {percent} % full", RETIRED),
        ("There is a server called {name} already.", RETIRED),
        ("{count}k 词元", RETIRED_CHINESE),
        ("再试一次。", RETIRED_CHINESE),
        ("正在总结对话……", RETIRED_CHINESE),
    ],
)
def test_a_retired_word_is_found(sentence: str, table: dict[str, str]) -> None:
    assert retired([("here", sentence)], table)
