"""The page of what was used, over a real core: bars, sums, where it went, the budget."""

from datetime import date, timedelta
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.api.usage import Amounts, Budget, Day, Report
from desktop.ui.panels.usage.bars import bars_of
from desktop.ui.panels.usage.chart import Chart
from desktop.ui.panels.usage.panel import UsagePanel
from desktop.ui.panels.usage.words import short
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.words import speak
from desktop.usage import Call, beginning, today
from tests.ui.program import Running
from tests.ui.settings.reading import choose, enter, named, press, shown, write


class Page:
    """The page, as a person uses it."""

    def __init__(self, window: SettingsWindow, running: Running) -> None:
        self.window, self.running = window, running
        window.open_page("usage")
        running.settle()
        [self.panel] = [p for view in window.views for p in view.parts if isinstance(p, UsagePanel)]

    def use(self, usd: float | None = None, *, days: int = 0, **call: Any) -> None:
        """Enter a call of so many days ago."""
        given: dict[str, Any] = {"provider": "openai", "model": "gpt-5", "session": "window:a"} | call
        core = self.running.core
        self.running.wait(core.usage.record(Call(**given, input_tokens=900, output_tokens=100, cost=usd)))
        if days:
            at = beginning(today() - timedelta(days=days)) + 60
            sql = "UPDATE usage SET at = ? WHERE id = (SELECT max(id) FROM usage)"
            self.running.wait(core.database.write(sql, (at,)))
            self.panel.refresh()
        self.running.settle()

    def choose(self, span: str) -> None:
        choose(self.window, "Period", span)
        self.running.settle()

    def press(self, words: str) -> None:
        press(self.window, words)
        self.running.settle()

    @property
    def text(self) -> str:
        return shown(self.window)

    @property
    def sums(self) -> list[str]:
        """Cost, tokens, calls."""
        labels = self.panel.sums.findChildren(QLabel)
        return [made.text() for made in labels if made.isVisible() and made.property("kind") == "title"]

    @property
    def chart(self) -> str:
        return self.panel.chart.accessibleName()


@pytest.fixture
def page(window: SettingsWindow, running: Running) -> Page:
    return Page(window, running)


def test_an_empty_page_says_so(page: Page) -> None:
    assert "No usage in this period." in page.text
    assert not page.panel.chart.isVisible()
    assert not page.panel.lines.isVisible()
    page.use(0.5)
    assert "No usage" not in page.text
    assert page.panel.chart.isVisible()


def test_what_is_used_meanwhile_is_shown_at_once(page: Page) -> None:
    page.use(0.5)
    assert "$0.50" in page.text
    page.use(1.25)
    assert page.sums == ["$1.75", "2k", "2"]


def test_the_bars_are_gone_through_with_the_keyboard(page: Page) -> None:
    page.use(0.5)
    page.use(2.0, days=3)
    chart = page.panel.chart
    then = today() - timedelta(days=3)
    assert page.chart.startswith("Cost per day. Highest: $2.00, ")
    assert f"{then.day}, {then.year}" in page.chart
    chart.setFocus(Qt.FocusReason.TabFocusReason)
    assert page.chart.endswith(f"{today().day}, {today().year}. $0.50 · 1k tokens · 1 call")
    for _day in range(3):
        QTest.keyClick(chart, Qt.Key.Key_Left)
    assert page.chart.endswith(f"{then.day}, {then.year}. $2.00 · 1k tokens · 1 call")
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert page.chart.endswith("$0.00 · 0 tokens · 0 calls")
    QTest.keyClick(chart, Qt.Key.Key_Home)
    assert chart.current == 0
    QTest.keyClick(chart, Qt.Key.Key_End)
    assert chart.current == 29
    page.panel.span.setFocus()
    assert page.chart.startswith("Cost per day. Highest")


def test_a_bar_tells_its_figures_where_it_is_pointed_at(page: Page, qtbot: QtBot) -> None:
    def wait_told(chart: Chart, figures: str) -> None:
        qtbot.waitUntil(lambda: chart.told[1].startswith(figures))

    page.use(0.5)
    chart = page.panel.chart
    plot = chart._plot()
    for x, figures in (
        (plot.right() - 3, "$0.50 · 1k tokens · 1 call"),
        (plot.left() + 2, "$0.00 · 0 tokens · 0 calls"),
        (2, "Highest: "),
    ):
        QTest.mouseMove(page.window, QPoint(5, 5))
        QTest.mouseMove(chart, QPoint(int(x), int(plot.center().y())))
        wait_told(chart, figures)


def test_a_span_has_its_days_and_no_others(page: Page) -> None:
    for days in (0, 10, 50, 300):
        page.use(1.0, days=days)
    for span, usd in (("7 days", 1), ("30 days", 2), ("90 days", 3), ("All time", 4)):
        page.choose(span)
        assert page.sums == [f"${usd}.00", f"{usd}k", f"{usd}"]
    assert page.chart.startswith("Cost per week")
    page.choose("7 days")
    assert page.chart.startswith("Cost per day")
    QTest.keyClick(page.panel.chart, Qt.Key.Key_End)
    assert page.panel.chart.current == 6


def test_an_unknown_price_is_said_and_no_zero(page: Page) -> None:
    page.use(None, provider="groq", model="llama")
    assert page.sums == ["price unknown", "1k", "1"]
    assert "The price of 1k tokens is unknown, so tokens are shown instead of cost." in page.text
    assert "$0.00" not in page.text
    assert page.chart.startswith("Tokens per day. Highest: 1k")
    page.use(0.5)
    assert "The price of 1k tokens is unknown and not included in the cost." in page.text
    page.panel.chart.setFocus(Qt.FocusReason.TabFocusReason)
    assert page.chart.endswith("$0.50 · 1k tokens of unknown price · 2k tokens · 2 calls")
    assert page.panel.lines.said == [
        "gpt-5, OpenAI: $0.50 · 1k tokens · 1 call",
        "llama, Groq: price unknown · 1k tokens · 1 call",
    ]


def test_models_on_this_computer_are_free(page: Page) -> None:
    page.use(None, provider="builtin", model="qwen")
    assert page.sums == ["free", "1k", "1"]
    assert page.panel.lines.said == ["qwen, Built-in model: free · 1k tokens · 1 call"]
    assert "unknown" not in page.text


def test_where_it_went_by_model_conversation_and_cause(page: Page) -> None:
    page.use(0.5, cause="job")
    page.use(0.25, provider="groq", model="llama", session="heartbeat", cause="heartbeat")
    assert [line.split(":")[0] for line in page.panel.lines.said] == ["gpt-5, OpenAI", "llama, Groq"]
    page.press("Conversations")
    titles = [line.split(":")[0] for line in page.panel.lines.said]
    assert titles == ["A deleted conversation", "Heartbeat"]
    page.press("Purposes")
    assert [line.split(":")[0] for line in page.panel.lines.said] == ["Tasks", "Heartbeat"]
    item = page.panel.lines.model().index(0, 0)
    assert item.data(Qt.ItemDataRole.AccessibleTextRole) == "Tasks: $0.50 · 1k tokens · 1 call"


def test_a_long_list_is_whole_after_a_press(page: Page) -> None:
    for number in range(11):
        page.use(0.1 * (number + 1), model=f"model-{number}")
    assert len(page.panel.lines.said) == 8
    page.press("Show 3 more")
    assert len(page.panel.lines.said) == 11
    page.press("Purposes")
    assert len(page.panel.lines.said) == 1
    page.press("Models")
    assert len(page.panel.lines.said) == 8


def test_a_conversation_is_opened(page: Page, running: Running) -> None:
    async def talk() -> None:
        session = await running.core.sessions.open("window:a")
        await session.append({"role": "user", "content": "Trip to Lisbon"})

    running.wait(talk())
    page.use(0.5)
    page.use(0.25, session="window:gone")
    page.press("Conversations")
    lines = page.panel.lines
    assert lines.said[0].startswith("Trip to Lisbon: ")
    for number in (0, 1):
        at = lines.visualRect(lines.model().index(number, 0)).center()
        QTest.mouseClick(lines.viewport(), Qt.MouseButton.LeftButton, pos=at)
        running.settle()
    assert running.actions.shown == ["window:a"]


def test_the_budget_is_set_and_told(page: Page) -> None:
    page.use(4.0)
    page.use(None, provider="groq", model="llama")
    assert not page.panel.budget.isVisible()
    field = named(page.window, "Monthly limit")
    assert field.placeholderText() == "No limit"
    write(field, "10")
    enter(field)
    page.running.settle()
    assert page.running.stored["limits"]["monthlyUsd"] == 10
    assert "$4.00 of $10.00" in page.text
    assert "40% used, $6.00 left" in page.text
    assert "Does not include 1k tokens of unknown price." in page.text
    page.use(6.0)
    assert "The budget is used up." in page.text
    write(field, "")
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    enter(field)
    page.running.settle()
    assert not page.panel.budget.isVisible()


def test_it_speaks_the_language_that_is_chosen(page: Page) -> None:
    page.use(0.5)
    speak("zh_CN")
    page.running.settle()
    assert page.panel.tabs.buttons[0].accessibleName() == page.panel.tabs.buttons[0].text()
    assert page.panel.span.count() == 5
    assert page.panel.span.currentData() == "30"


# ---- without a window


def found(first: date, last: date, **days: float) -> Report:
    """A report with these costs."""
    counts = {"calls": 1, "tokens": 1, "unpriced": 1, "free": 1, "priced": 1}
    lines = tuple(
        Day(day=day[1:].replace("_", "-"), usd=usd, cost=usd, **counts) for day, usd in days.items()
    )
    total = Amounts(usd=sum(days.values()), priced=len(days))
    return Report(first.isoformat(), last.isoformat(), total, lines, "model", (), 0, Budget())


def test_long_spans_are_told_by_week_and_by_month() -> None:
    weeks = bars_of(
        found(date(2026, 1, 1), date(2026, 6, 30), d2026_01_02=1.0, d2026_01_04=2.0, d2026_01_05=4.0)
    )
    assert [bar.figures.usd for bar in weeks.bars[:3]] == [3.0, 4.0, 0]
    assert (weeks.bars[0].first, weeks.bars[0].last) == (date(2026, 1, 1), date(2026, 1, 4))
    months = bars_of(found(date(2022, 1, 15), date(2026, 6, 30), d2022_01_31=1.0, d2022_02_01=2.0))
    assert [bar.figures.usd for bar in months.bars[:3]] == [1.0, 2.0, 0]
    assert len(months.bars) == 54
    assert months.bars[-1].last == date(2026, 6, 30)


def test_the_chart_ends_at_a_round_number() -> None:
    for usd, top in ((0.66, 0.8), (1.0, 1.0), (5.5, 6.0), (0.003, 0.004), (121.0, 200.0), (0.1, 0.1)):
        bars = bars_of(found(date(2026, 1, 1), date(2026, 1, 2), d2026_01_02=usd))
        assert bars.top == pytest.approx(top)


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (4200, "4.2k"),
        (131_400, "131k"),
        (999_999, "1M"),
        (2_500_000, "2.5M"),
    ],
)
def test_counts_are_short(number: int, told: str) -> None:
    assert short(number) == told
