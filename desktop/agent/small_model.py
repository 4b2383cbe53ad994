"""What a small model is spared: which tools a message may need is found by its words, not by the model.

Told of tools, it answers a greeting with one; asked to read a file, it says that one could read it. So it
is told of them only where there may be something to do, and where the words leave no doubt what, it must
call the tool for that. What it was not told of it need not read, too. A file's name or an address counts
in any language.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

type Rules = tuple[tuple[str, tuple[str, ...]], ...]
"""Tools, and the words (regular expressions) that ask for them; the first that fits."""

_FILE = r"(?a:[\w-]+\.[a-z]\w{1,4}\b)"
_RULES: Rules = (
    (
        "cron",
        (
            r"\b(?:remind me|set (?:me )?(?:a |an )?(?:reminder|alarm)|wake me)\b",
            r"\berinner\w* mich|\brappelle[- ]moi|\brecu[eé]rdame",
            r"提醒我|叫我起床|叫醒我|设(?:置|个|一个)?(?:提醒|闹钟)",
        ),
    ),
    ("web_fetch", (r"https?://", r"\bwww\.(?a:\w)")),
    (
        "search_files",
        (
            r"\b(?:search|look) (?:in |through )?(?:my |the |all )?(?:files|notes|documents)\b",
            r"\bwhich (?:file|note)s?\b(?! (?:do|are|have)\b)",
            r"\bfind (?:the |a |all )?(?:files?|notes?) (?:that|which|with|about|where|mentioning)\b",
            r"\b(?:search|look) for\b.* in (?:my |the |all )?(?:files|notes|documents)\b",
            r"哪个文件|哪些文件(?:提到|里|中|包含)|(?:文件|笔记)(?:里|中)?(?:搜索|查找)|搜索.*(?:文件|笔记)",
        ),
    ),
    (
        "list_dir",
        (
            r"\b(?:list|show)(?: me)?(?: all)?(?: of)?(?: my| the)? (?:files|folders?|documents)\b",
            r"\b(?:what|which) files (?:do|are|have)\b",
            r"\bwhat(?: is|'s| do i have) in (?:my|the|this) (?:folder|workspace|directory)\b",
            r"列出|有(?:哪些|什么)文件|文件夹里(?:面)?有",
        ),
    ),
)
_WITH_A_FILE: Rules = (
    (
        "edit_file",
        (
            r"\b(?:change|replace|correct|rename|swap)\b",
            r"\b(?:remove|delete|cross out|take)\b.*\b(?:from|in|off|out of)\b",
            r"改成|改为|替换|换成|删掉|删除|去掉|划掉",
        ),
    ),
    (
        "add_line",
        (
            r"\b(?:add|append)\b|\bput\b.*\b(?:on|onto|to)\b",
            r"加到|加上|加入|添加|追加|补上|加进|记到|再加",
        ),
    ),
    (
        "write_file",
        (
            r"\b(?:write|create|make|save|store|note down|jot down)\b",
            r"\bput\b.*\b(?:in|into)\b|\bfile\b.*\b(?:with|that)\b",
            r"写(?:入|到|进|一|个|下)|创建|新建|保存|存(?:到|入|进|成|为)|建(?:一个|个)",
        ),
    ),
    (
        "read_file",
        (
            r"[?？]|\b(?:read|show|open|tell me|summari[sz]e|what|which|who|when|how|print|look)\b",
            r"读|看|打开|内容|总结|多少|什么|有没有|吗",
        ),
    ),
)
_MAYBE = (
    rf"https?://|www\.|{_FILE}|(?:^|\s)[~.]?[/\\]\w|[A-Za-z]:\\",
    r"\b(?:files?|folders?|director(?:y|ies)|web ?(?:pages?|sites?)|datei(?:en)?|ordner|fichiers?)\b",
    r"\b(?:dossiers?|archivos?|remind(?:er|ers)?|wake me|erinner\w*|rappel\w*|recuérda\w*)\b",
    r"文件|文档|目录|保存|存到|存入|网页|网址|网站|提醒|叫我",
)


_SHOW = (
    r"\bwhat(?: is|'s)(?: there)?(?: written)? in (?:the )?(?:file )?(?a:[\w./-]+)\W*$",
    r"\bwhat does (?:the )?(?:file )?(?a:[\w./-]+) (?:say|contain)\W*$",
    r"^(?:please |can you |could you )?(?:read|show|open|print|display)\b(?!.*\b(?:and|then|tell)\b)",
    r"(?:里面?|中)?(?:有|是|写了?)(?:什么|啥)(?:内容)?[?？。]*$|^(?:请|帮我)?(?:读|打开|显示|看看|念)(?!.*总结)",
)
"""Questions that the text itself answers."""
_END = re.compile(r"\n*\(This is the end of the file\.\)\s*$")
_NUMBER = re.compile(r"^ *\d+\| ?", re.MULTILINE)
_INSTEAD = {"write_file": ("add_line", "edit_file")}
"""What may be called where a tool refused; any other is called once more."""
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Want:
    """What a message may need: any tools at all, and which it must have called."""

    tools: bool
    must_call: tuple[str, ...] = ()
    as_it_is: bool = False
    """What the tool finds is the answer."""

    def after(self, tool: str) -> tuple[str, ...]:
        """What must be called where this tool failed."""
        return _INSTEAD.get(tool, (tool,)) if tool in self.must_call else ()


def wanted(text: str, *, files: bool = False) -> Want:
    """What the person's own words ask for. `files`: some were given along."""
    rules = _RULES + (_WITH_A_FILE if _found((_FILE,), text) else ())
    must = next((tool for tool, words in rules if _found(words, text)), "")
    if not must:
        return Want(files or _found(_MAYBE, text))
    as_it_is = must in ("list_dir", "search_files") or (must == "read_file" and _found(_SHOW, text.strip()))
    return Want(True, (must,), as_it_is)


def shown(tool: str, text: str) -> str:
    """What a tool found, as an answer in Markdown: a list as one, the text of a file as it is."""
    if tool == "list_dir":
        return "\n".join(f"- {line}" for line in text.splitlines())
    plain = _NUMBER.sub("", _END.sub("", text)).strip("\n")[:_LONGEST]
    return f"```\n{plain}\n```" if "```" not in plain else plain


def _found(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in patterns)
