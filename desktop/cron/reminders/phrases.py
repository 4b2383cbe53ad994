"""The words around a time that tell a reminder from what is none, in each language, as data."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

type Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Phrases:
    """Patterns of one language; all are matched against what was said."""

    opening: Pattern
    """Courtesies before anything else."""
    asked_kindly: Pattern
    """The beginning of a question that asks for a reminder."""
    question: Pattern
    """The end of a question."""
    trigger: Pattern
    """What asks for a reminder."""
    closing: Pattern
    """The same at the end."""
    link: Pattern
    """What stands between a time and the text, or before the text."""
    joins: Callable[[str], bool]
    """Whether a time behind the text that is linked so belongs to the day before it."""
    starts: Callable[[str, int, int], Iterator[int]]
    """The places between two at which a time may begin."""
    never: Pattern
    """Found anywhere: nothing is to be set."""
    no_text: Pattern
    """What follows the trigger in a question, or where an event and no time is waited for."""
    goes_on: Pattern
    """What follows a time that is not over: a span, an exception."""
    leans: Pattern
    """The end of a text to which the time behind it belongs."""
    no_reminder: Pattern
    """In a text: something else is asked, or the time hangs on another one."""
    pointing: Pattern
    """A whole text that only points at what was said before."""
    bounded: Pattern
    """In the text of what repeats: it is to end."""
    again: Pattern
    """In a text before a time: something repeats."""
    own_doing: Pattern
    """What a person does or goes to: a reminder even where no word asks for one."""


def _words(text: str, at: int, end: int) -> Iterator[int]:
    return (match.start() for match in re.finditer(r"(?<![\w-])[\w@]", text[:end]) if match.start() > at)


def _signs(text: str, at: int, end: int) -> Iterator[int]:
    return iter(range(at + 1, end))


_EVENTS = (
    r"stand-?up|meeting|sync|call|appointment|dentist|doctor|gym|yoga|workout|training|class|lecture|lesson|"
    r"lunch|dinner|breakfast|brunch|coffee|tea|break|pills?|medicine|meds|medication|vitamins?|insulin|"
    r"interview|review|retro|planning|demo|one-on-one|1:1|rehearsal|practice|church|party|flight|train|bus|"
    r"rent|laundry|trash|garbage|bins|school run|haircut|piano|swimming|football|tennis|choir|nap|bedtime"
)
_DOINGS = (
    r"call|ring|phone|take|drink|eat|feed|walk|water|pay|buy|pick up|drop off|collect|visit|stretch|rest|"
    r"sleep|exercise|pray|meditate|go to|leave for|meet|wash|clean|cook|iron|take out|bring|return"
)
_A = r"(?:(?:the|my|our|a)\s+)?"
_WEEKDAYS = r"(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?s?"
_MACHINES = (
    r"(?!.*\b(?:api|script|function|tool|webhook|endpoint|server|build|tests?|code|repo|database|e-?mails?|mail|"
    r"inbox|websites?|page|url|files?|folder|reports?|news|data|logs?)\b)"
)
"""What an agent is asked to deal with, and no appointment of a person."""

ENGLISH = Phrases(
    opening=re.compile(
        r"(?:(?:please|pls|hey|hi|hello|ok|okay|and|also|so)\b[\s,!]*|nanobot\b[\s,!:]*"
        r"|(?:can|could|will|would)\s+you\s+(?:please\s+|kindly\s+)?|(?:i(?:\s+want|\s+need|['’]d\s+like)\s+you\s+to\s+))*",
        re.IGNORECASE,
    ),
    asked_kindly=re.compile(r"(?:[\w,]+\s+){0,3}?(?:can|could|will|would)\s+you\b", re.IGNORECASE),
    question=re.compile(r"[\s.!]*\?[\s?.!]*$"),
    trigger=re.compile(
        r"(?:please\s+)?(?:remind\s+me\b|don['’]?t\s+let\s+me\s+forget\b"
        r"|(?:set|make|create|add|schedule)(?:\s+up)?(?:\s+me)?(?:\s+(?:a|an|another|one))?\s+reminder\b(?:\s+for\s+me\b)?"
        r"|reminder(?=\s*[:\-–—]|\s+to\b))[\s,:\-–—]*(?:please[\s,]*)?(?:for\s+(?=\S))?",
        re.IGNORECASE,
    ),
    closing=re.compile(r"[\s,]+(?:please\s+)?remind\s+me(?:\s+please)?[\s.!?]*$", re.IGNORECASE),
    link=re.compile(r"[\s,:;\-–—]*(?:(?:to|that|about|of|for)\s+)?", re.IGNORECASE),
    joins=lambda link: link.strip().lower() != "that",
    starts=_words,
    never=re.compile(
        r"\b(?:don['’]?t|do\s+not|never|stop|no\s+need\s+to)\s+(?:\w+\s+)?remind|^\W*(?:cancel|delete|remove|list|show)\b",
        re.IGNORECASE,
    ),
    no_text=re.compile(
        r"(?:again\s+)?(?:what|who|whom|whose|where|why|which|how|when|whenever|if|whether|once|after|before|"
        r"until|till|while|as\s+soon|unless|by|of\s+what|about\s+what)\b",
        re.IGNORECASE,
    ),
    goes_on=re.compile(
        r"[\s,]*(?:until|till|except|but|from|before|after|or|and|starting|beginning|through|to\s+\d|"
        r"not(?!\s+to\b)|thirty|fifteen|forty|ish|sharp|(?:my|your|local|[a-z]+)\s+time|utc|gmt|[a-z]{1,2}[sd]t|"
        rf"cet|{_WEEKDAYS})\b|\s*[-–—/]\s*\w|[\s,]*(?:at\s+|@\s*)?\d",
        re.IGNORECASE,
    ),
    leans=re.compile(
        r"(?:^|\s)(?:by|before|after|until|till|since|from|to|than|is|are|was|were|begins?|starts|ends|opens|closes|"
        r"leaves|departs|arrives|due|at|on|in|between|and|or|not|except|every|each|only|around|about|ago|last|no|of|the|a|an"
        r"|early|late|earlier|later|within|with)[\s,]*$",
        re.IGNORECASE,
    ),
    no_reminder=re.compile(
        r"\b(?:\d+|an?|one|two|five|ten|fifteen|twenty|thirty|half\s+an)\s*(?:minutes?|mins?|hours?|hrs?|days?|weeks?)\s+"
        r"(?:before|prior|early|ahead|in\s+advance)\b"
        r"|\b(?:tell|show|give|find|get|let|ask|send)\s+me\b"
        r"|[.!?]\s+\w|\?",
        re.IGNORECASE,
    ),
    pointing=re.compile(
        r"(?:again|it|this|that|them|these|those|him|her|everything|all\s+of\s+(?:it|this))", re.IGNORECASE
    ),
    bounded=re.compile(
        r"\b(?:until|till)\b|\bfor\s+(?:the\s+next\s+)?(?:\d+|an?|one|two|three|four|five|six|seven|ten)\s+"
        r"(?:days?|weeks?|months?|years?)\b",
        re.IGNORECASE,
    ),
    again=re.compile(r"\b(?:every|each|until|till)\b", re.IGNORECASE),
    own_doing=re.compile(
        rf"{_MACHINES}(?:{_A}(?:[\w'’-]+\s+){{0,2}}(?:{_EVENTS})(?:\s+with\s+[\w'’-]+(?:\s+[\w'’-]+)?)?"
        rf"|(?:{_DOINGS})(?:\s+[\w'’-]+){{1,3}})",
        re.IGNORECASE,
    ),
)

_KIND = r"(?:你?(?:能不能|可不可以|可以|能)|请|麻烦你?|劳驾|帮我|到时候?|记得|在|[，,\s]|nanobot)*"
_CHORE = (
    r"开[周例早晚]?会|站会|例会|周会|早会|晚会|会议|吃药|服药|喝水|起床|睡觉|休息|吃饭|吃[早午晚]饭|午休|健身|跑步|运动|锻炼|"
    r"瑜伽|上课|下课|上班|下班|面试|看牙医?|看医生|体检|复诊|打针|交[房水电]?[租费]|还款|还信用卡|还房贷|发工资|取快递|拿快递|寄快递|"
    r"接孩子|送孩子|接[^，。\s]{1,4}|遛狗|喂猫|喂狗|浇花|倒垃圾|买菜|做饭|洗衣服|打扫卫生|"
    r"给[^，。\s]{1,6}打电话|打电话给[^，。\s]{1,6}|去[^，。\s]{1,6}|约会|聚餐|理发|练琴|练[^，。\s]{1,4}|冥想|坐车|赶[^，。\s]{1,4}"
)

CHINESE = Phrases(
    opening=re.compile(_KIND, re.IGNORECASE),
    asked_kindly=re.compile(
        rf"{_KIND}(?<=[能以])|.*(?:好|可以|行|成)吗[\s?。.!]*$|.*(?:好不好|行不行)[\s?。.!]*$"
    ),
    question=re.compile(r"[\s,]*(?:(?:好|可以|行|成)?吗|好不好|行不行|呢)[\s?。.!]*$|\?[\s?]*$"),
    trigger=re.compile(
        rf"{_KIND}(?:设|定|建|加|来|做|创建|添加|设置)?(?:一?个)?(?:提醒我|叫我|提醒[:,]\s*|别让我忘了?)(?:一下)?[，,:\s]*",
        re.IGNORECASE,
    ),
    closing=re.compile(rf"[，,\s]*{_KIND}(?:提醒|叫)(?:我)(?:一下|一声)?[。.!\s]*$", re.IGNORECASE),
    link=re.compile(r"[\s,，:：、]*(?:要|该|一下[，,]?)?"),
    joins=lambda _link: True,
    starts=_signs,
    never=re.compile(
        r"(?:别|不要|不用|无需|不必|取消|删除|删掉|停止|不再|再也不)[^，。,]{0,12}提醒|^(?:取消|删除|删掉|查看|列出)"
    ),
    no_text=re.compile(r"(?:什么|谁|哪|怎么|为什么|多少|几[点号时]|当|等|如果|一旦|过的|的)"),
    goes_on=re.compile(
        r"[\s,，]*(?:之前|以前|前(?![往台去面])|之间|左右|[到至](?=\s*(?:\d|[一二三四五六七八九十]+点|明|后天))|或|以内|内|起(?![床来身飞])|开始|为止|(?:\d{1,2}|[一二两三四五六七八九十]{1,3})[点:时])"
    ),
    leans=re.compile(r"(?:到|至|在|是|于|从|或|和|每|前|等到|比|第|近|约|大概|晚|早)$"),
    no_reminder=re.compile(
        r"什么|多少|几点|几号|为什么|怎么|哪[个里天些]|谁|(?:提前|之前|以前)|[前早]\s*(?:\d+|[一二两三四五六七八九十半]+)个?(?:分钟|小时|天)"
        r"|告诉我|给我(?:看|发|讲|查|列|写)|[。!?]\s*\S|\?|(?:了|过)吗|[^好行]吗$|呢$"
    ),
    pointing=re.compile(r"(?:这个?|那个?|它|这件事|那件事|此事|再次|一次|一下)"),
    bounded=re.compile(r"直到|截止|为止|连续\S*[天周月]|持续|坚持\S*[天周月]"),
    again=re.compile(r"每[天日周月年个隔]|直到"),
    own_doing=re.compile(
        rf"(?:要|我要|该|和[^，。\s]{{1,6}}|跟[^，。\s]{{1,6}}|与[^，。\s]{{1,6}}|[^，。\s我你他她它们的是有在]{{0,3}})?(?:{_CHORE})"
    ),
)

LIKELY = re.compile(
    r"remind|let\s+me\s+forget|提醒|叫我|别让我忘|"
    r"^\W*(?:(?:please|nanobot|hey)\W+)*(?:every|each|daily|weekly|monthly|hourly|weekdays|in\s|on\s|at\s|this\s|next\s|"
    r"today|tonight|tomorrow|tm|the\s|mon|tue|wed|thu|fri|sat|sun|noon|\d)|"
    r"^\W*(?:请|麻烦)?(?:每|今|明|后天|大后|周|星期|礼拜|下|这|本|再?过|工作日|早|晚|上午|中午|凌晨|傍晚|天天|半|[一二两三四五六七八九十])",
    re.IGNORECASE,
)
"""A quick look before anything is read: whether it can be a reminder at all."""
