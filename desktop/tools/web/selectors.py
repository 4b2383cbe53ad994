"""Style sheets as pages hide text with them: rules, and which element each means.

A small reader, bounded in all it does: so many characters, rules, selectors and steps. Rules for a state of
the page (a pointer above, print) do not count; what it cannot read counts as no rule.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_CSS, _MOST_RULES, _MOST_SELECTORS, _DEEPEST, _MOST_STEPS = 400_000, 4_000, 12_000, 40, 400
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})[ \t\n]?|\\([^0-9a-fA-F\n])")
_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6} ?|\\[^0-9a-fA-F\n])+"
_PART = re.compile(
    rf"(?P<tag>\*|{_NAME})|#(?P<id>{_NAME})|\.(?P<of>{_NAME})|\[(?P<has>[^\]]*)\]"
    r"|:(?P<more>:?[\w-]+)(?:\((?P<inside>(?:[^()]|\([^()]*\))*)\))?"
)
_HAS = re.compile(r"\s*([\w-]+)\s*(?:([~^$*|]?)=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))\s*[is]?)?\s*")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


type Styles = dict[str, str]
type Compound = list[tuple[str, str, str]]
"""What a part of a selector asks for: kind, name, value."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector with its declarations."""

    steps: list[tuple[str, Compound]]
    """The last part first, each with the sign before it."""
    needs: frozenset[str]
    """What some element above must have: its tag, its id as #x, its classes as .x."""
    styles: Styles
    weight: tuple[int, int]


@dataclass(slots=True)
class Sheet:
    """The rules of a page, found by what their last part asks for."""

    by_key: dict[str, list[Rule]] = field(default_factory=dict)
    variables: Styles = field(default_factory=dict)
    count: int = 0
    left: int = 400_000
    """Steps up or aside that may still be made; after that only selectors of one part are looked at."""

    def styles(self, node: Any, above: frozenset[str] = frozenset()) -> Styles:
        """The styles of an element: of the rules that mean it, then its own; important ones last. `above`:
        what elements above have, see Rule.needs."""
        found: list[Rule] = []
        if self.count:
            classes = str(node.get("class") or "").split()
            for key in (f"#{node.get('id')}", *(f".{name}" for name in classes), node.tag.lower(), "*"):
                found += [
                    rule
                    for rule in self.by_key.get(key, ())
                    if rule.needs <= above and self._means(rule, node)
                ]
        own = node.get("style")
        if not own and not found:
            return {}
        found.sort(key=lambda rule: rule.weight)
        made: Styles = {}
        pressing: Styles = {}
        for styles in [*(rule.styles for rule in found), declared(str(own or ""))]:
            for name, value in styles.items():
                if value.endswith("!important"):
                    pressing[name] = value.removesuffix("!important").strip()
                else:
                    made[name] = value
        made |= pressing
        return {name: self._resolved(v) if "var(" in v else v for name, v in made.items()}

    def _means(self, rule: Rule, node: Any) -> bool:
        if not _is(rule.steps[0][1], node):
            return False
        if len(rule.steps) > 1 and self.left <= 0:
            return False
        here = node
        for (sign, _part), (_sign, wanted) in zip(rule.steps, rule.steps[1:], strict=False):
            near = sign in ("+", "~")
            here = here.getprevious() if near else here.getparent()
            while here is not None and not (isinstance(here.tag, str) and _is(wanted, here)):
                self.left -= 1
                if self.left <= 0 or (sign in ("+", ">") and isinstance(here.tag, str)):
                    return False
                here = here.getprevious() if near else here.getparent()
            if here is None:
                return False
            self.left -= 1
        return True

    def _resolved(self, value: str) -> str:
        for _round in range(4):
            value = _VARIABLE.sub(lambda f: self.variables.get(f[1], (f[2] or "").strip()), value)[:2_000]
        return value


def read(text: str, telling: frozenset[str]) -> Sheet:
    """The rules of a style sheet that say one of these properties."""
    sheet = Sheet()
    text = _COMMENT.sub(" ", text[:MOST_CSS])
    text = _STRING.sub(lambda found: '""' if set(found.group()) & set("{};") else found.group(), text)
    for number, (selectors, styles) in enumerate(_rules(text)):
        if number >= _MOST_RULES or sheet.count >= _MOST_SELECTORS:
            break
        sheet.variables |= {name: value for name, value in styles.items() if name.startswith("--")}
        if telling.isdisjoint(styles):
            continue
        for selector in _split(selectors, ","):
            steps = _steps(selector)
            if steps:
                weight = sum(_WEIGHTS.get(kind, 0) for _sign, part in steps for kind, _n, _v in part)
                sheet.by_key.setdefault(_key(steps[0][1]), []).append(
                    Rule(steps, _needs(steps), styles, (weight, number))
                )
                sheet.count += 1
    return sheet


_WEIGHTS = {"id": 10_000, "of": 100, "has": 100, "more": 100, "tag": 1}


def declared(text: str) -> Styles:
    """Declarations by name, in small letters."""
    styles: Styles = {}
    for part in _COMMENT.sub(" ", text[:20_000]).split(";"):
        name, colon, value = part.partition(":")
        if colon:
            value = " ".join(_unescaped(value).split()).lower()
            value = re.sub(r" ?! ?important$", "!important", value)
            name = _unescaped(name).strip().lower()
            if value.endswith("!important") or not styles.get(name, "").endswith("!important"):
                styles[name] = value
    return styles


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda f: f[2] or (chr(int(f[1], 16)) if int(f[1], 16) < 0x110000 else ""), text)


@dataclass(slots=True)
class _Open:
    """A block that is not closed yet."""

    kind: str
    selectors: str = ""
    chunks: list[str] = field(default_factory=list)


def _rules(text: str) -> Iterator[tuple[str, Styles]]:
    """Selectors with their declarations, in one pass; of groups those for a screen."""
    stack: list[_Open] = []
    begun = 0
    for found in re.finditer(r"[{};]|\Z", text):
        sign, piece = found.group(), text[begun : found.start()]
        begun = found.end()
        if sign == "{":
            stack.append(_opened(piece.strip(), stack))
            continue
        if stack:
            stack[-1].chunks.append(piece)
        while stack and sign in ("}", ""):
            closed = stack.pop()
            if closed.kind == "rule" and all(block.kind != "skip" for block in stack):
                yield closed.selectors, declared(";".join(closed.chunks))
            if sign:
                break


def _opened(head: str, stack: list[_Open]) -> _Open:
    if len(stack) >= _DEEPEST:
        return _Open("skip")
    if head.startswith("@"):
        word = head.lower()
        grouped = word.startswith(("@media", "@supports", "@layer", "@container", "@scope"))
        return _Open("group" if grouped and not word.startswith("@media print") else "skip")
    above = next((block.selectors for block in reversed(stack) if block.kind == "rule"), "")
    if above and len(above) + len(head) < 2_000:
        head = head.replace("&", above) if "&" in head else f"{above} {head}"
    return _Open("rule", head)


def _split(text: str, signs: str) -> list[str]:
    """Parts between signs that stand in no brackets; each sign begins the part after it."""
    found, depth, part = [], 0, ""
    for sign in text[:4_000]:
        depth += (sign in "([") - (sign in ")]")
        if sign in signs and depth == 0:
            found.append(part)
            part = "" if signs == "," else sign
        else:
            part += sign
    return [*found, part]


def _steps(selector: str) -> list[tuple[str, Compound]]:
    """A selector from its end; empty where it cannot be read or is for a state."""
    plain = re.sub(r"\s*([>+~])\s*", r"\1", " ".join(selector.split()))
    steps: list[tuple[str, Compound]] = []
    for part in _split(plain, " >+~"):
        sign = part[:1] if part[:1] in (" ", ">", "+", "~") else " "
        compound = _compound(part.lstrip(" >+~"))
        if compound is None:
            return []
        if compound:
            steps.append((sign, compound))
    return steps[:-_DEEPEST:-1] if len(steps) > _DEEPEST else steps[::-1]


def _compound(text: str) -> Compound | None:
    found: Compound = []
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            return None
        kind, at = str(part.lastgroup), part.end()
        if kind == "inside" or kind == "more":
            name = part["more"].lower()
            if name.lstrip(":") in _STRUCTURE:
                found.append(("more", name, part["inside"] or ""))
                continue
            return None
        name = _unescaped(part[kind])
        found.append((kind, name.lower() if kind == "tag" else name, ""))
    return found


_STRUCTURE = words(
    "is where not root first-child last-child only-child nth-child first-of-type last-of-type "
    "matches any -webkit-any -moz-any link any-link"
)


def _key(part: Compound) -> str:
    for kind, sign in (("id", "#"), ("of", "."), ("tag", "")):
        for one, name, _value in part:
            if one == kind:
                return f"{sign}{name}"
    return "*"


def names(node: Any) -> frozenset[str]:
    """What an element has that selectors ask for."""
    id_ = node.get("id")
    own = [node.tag, *(f".{name}" for name in str(node.get("class") or "").split()[:200])]
    return frozenset([*own, f"#{id_}"] if id_ else own)


def _needs(steps: list[tuple[str, Compound]]) -> frozenset[str]:
    found: set[str] = set()
    for (sign, _part), (_sign, wanted) in itertools.pairwise(steps):
        if sign not in (" ", ">"):
            break
        signs = {"tag": "", "id": "#", "of": "."}
        found |= {f"{signs[kind]}{name}" for kind, name, _v in wanted if kind in signs and name != "*"}
    return frozenset(found)


def _is(part: Compound, node: Any) -> bool:
    return all(_asked(kind, name, value, node) for kind, name, value in part)


def _asked(kind: str, name: str, value: str, node: Any) -> bool:
    match kind:
        case "tag":
            return name in ("*", node.tag.lower())
        case "id":
            return bool(node.get("id") == name)
        case "of":
            return name in str(node.get("class") or "").split()
        case "has":
            return _has(name, node)
    return _placed(name, value, node)


def _has(text: str, node: Any) -> bool:
    found = _HAS.fullmatch(text)
    if found is None:
        return False
    here, wanted = node.get(found[1]), next((found[n] for n in (3, 4, 5) if found[n] is not None), None)
    if here is None or wanted is None:
        return here is not None and wanted is None
    match found[2]:
        case "^":
            return bool(wanted and here.startswith(wanted))
        case "$":
            return bool(wanted and here.endswith(wanted))
        case "*":
            return bool(wanted and wanted in here)
        case "~":
            return wanted in here.split()
        case "|":
            return bool(here == wanted or here.startswith(f"{wanted}-"))
    return bool(here == wanted)


def _placed(name: str, value: str, node: Any) -> bool:
    if name in ("is", "where", "matches", "any", "-webkit-any", "-moz-any", "not"):
        parts = [_compound(part.strip()) for part in _split(value, ",")]
        return any(part and _is(part, node) for part in parts) != (name == "not")
    if name == "root":
        return node.getparent() is None
    if name in ("link", "any-link"):
        return bool(node.tag == "a")
    of = node.tag if name.endswith("of-type") else None
    before = sum(1 for _one in zip(_beside(node, of, True), range(_MOST_STEPS), strict=False))
    if name.startswith("first"):
        return before == 0
    if name == "nth-child":
        return _nth(value, before + 1)
    after = next(_beside(node, of, False), None) is not None
    return not after and (name != "only-child" or before == 0)


def _beside(node: Any, tag: str | None, before: bool) -> Iterator[Any]:
    return (one for one in node.itersiblings(tag, preceding=before) if isinstance(one.tag, str))


def _nth(value: str, place: int) -> bool:
    text = {"odd": "2n+1", "even": "2n"}.get(value.strip().lower(), "".join(value.lower().split()))
    found = re.fullmatch(r"(?:([+-]?\d*)n)?([+-]?\d+)?", text)
    if found is None or not text:
        return False
    step = int({"": "1", "+": "1", "-": "-1"}.get(found[1], found[1])) if found[1] is not None else 0
    first = int(found[2] or 0)
    if step == 0:
        return place == first
    return (place - first) % step == 0 and (place - first) // step >= 0
