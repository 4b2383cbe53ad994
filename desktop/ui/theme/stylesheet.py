"""The style sheet: how standard widgets look, made of the tokens.

A widget says what it is by the property `kind`: a QPushButton is "primary", "quiet", "danger" or plain; a
QLabel "title", "muted", "small", "section" or plain; a QFrame "card", "notice", "line" or plain.
"""

from string import Template

from desktop.paths import resource
from desktop.ui.theme.tokens import DARK, LIGHT, LIGHT_CONTRAST, Colors, Size, Space

_SHEET = Template("""
* { outline: none; }
QWidget { color: $text; }
QMainWindow, QDialog { background: $window; }
QToolTip { background: $raised; color: $text; border: 1px solid $border_strong; padding: 4px 8px; }

QLabel { background: transparent; }
QLabel[kind="title"] { font-weight: 600; }
QLabel[kind="greeting"] { font-size: ${TEXT}px; font-weight: 600; }
QLabel[kind="section"] { font-size: ${SMALL}px; font-weight: 600; color: $muted; }
QLabel[kind="muted"] { color: $muted; }
QLabel[kind="small"] { font-size: ${SMALL}px; color: $muted; }
QLabel[kind="error"] { color: $danger; }
QLabel[kind="success"] { color: $success; }

QPushButton {
  background: $raised; border: 1px solid $border_strong; border-radius: ${RADIUS}px;
  padding: 0 ${L}px; min-height: 30px; font-weight: 500;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $pressed; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled, QPushButton[busy="true"] { color: $faint; border-color: $border; }
QPushButton[busy="true"] { background: $pressed; }
QPushButton[busy="true"]:focus { border-color: $accent; }
QPushButton[kind="primary"] { background: $accent; border-color: $accent; color: $on_accent; }
QPushButton[kind="primary"]:hover { background: $accent_hover; }
QPushButton[kind="primary"]:pressed { background: $accent_pressed; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; padding: 0 15px; }
QPushButton[kind="primary"]:disabled, QPushButton[kind="primary"][busy="true"] {
  background: $pressed; border-color: $pressed; color: $faint;
}
QPushButton[kind="danger"] { color: $danger; }
QPushButton[kind="quiet"] { background: transparent; border-color: transparent; padding: 0 ${S}px; }
QPushButton[kind="quiet"]:hover { background: $hover; }
QPushButton[kind="quiet"]:focus { border-color: $accent; }
QPushButton[kind="link"] {
  background: transparent; border: none; color: $link; padding: 0; min-height: 20px; text-align: left;
}
QPushButton[kind="link"]:hover, QPushButton[kind="link"]:focus { text-decoration: underline; }
QPushButton[kind="link"][busy="true"] { color: $faint; background: transparent; }

QPushButton[kind="badge"] {
  background: $accent_soft; border: 1px solid transparent; color: $link; font-weight: 600;
  padding: 0 10px; min-height: 26px; border-radius: 14px;
}
QPushButton[kind="badge"]:hover { border-color: $border_strong; }
QPushButton[kind="badge"]:focus { border-color: $accent; }
QPushButton[kind="chip"] {
  background: transparent; border: 1px solid $border; border-radius: 16px; padding: 0 14px; color: $muted;
}
QPushButton[kind="chip"]:hover { background: $hover; color: $text; }
QPushButton[kind="chip"]:focus { border-color: $accent; }

QToolButton {
  background: transparent; border: 1px solid transparent; border-radius: ${RADIUS}px; padding: 5px;
}
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:open { background: $pressed; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox, QDateEdit, QTimeEdit {
  background: $raised; border: 1px solid $border_strong; border-radius: ${RADIUS}px; padding: 0 10px;
  selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QDateEdit, QTimeEdit { min-height: 30px; }
QPlainTextEdit, QTextEdit { padding: 6px 10px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: $accent; }
QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: $accent; }
QDateEdit:focus, QTimeEdit:focus { border-color: $accent; }
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled { color: $faint; background: $window; }
QLineEdit[wrong="true"], QSpinBox[wrong="true"], QDoubleSpinBox[wrong="true"] { border-color: $danger; }
QDateEdit[wrong="true"] { border-color: $danger; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; }
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0; }
QTimeEdit::up-button, QTimeEdit::down-button { width: 0; }
QComboBox::drop-down, QDateEdit::drop-down { border: none; width: 28px; }
QComboBox::down-arrow, QDateEdit::down-arrow { image: url("$chevron"); width: 16px; height: 16px; }
QComboBox QAbstractItemView {
  background: $raised; border: 1px solid $border_strong; border-radius: ${RADIUS}px; padding: 4px;
  selection-background-color: $selected; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: 28px; padding: 0 8px; border-radius: 6px; }

QHeaderView { background: $raised; }
QHeaderView::section { background: $raised; color: $muted; border: none; padding: 4px 8px; }

QMenu { background: $raised; border: 1px solid $border_strong; border-radius: ${RADIUS}px; padding: 5px; }
QMenu::item { padding: 6px 28px 6px 10px; border-radius: 6px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 5px 8px; }
QMenu::icon { padding-left: 8px; }

QFrame[kind="card"] { background: $raised; border: 1px solid $border; border-radius: ${RADIUS_LARGE}px; }
QFrame[kind="notice"] { background: $danger_soft; border: none; border-radius: ${RADIUS}px; }
QFrame[kind="notice"][tone="warning"] { background: $warning_soft; }
QFrame[kind="notice"][tone="info"] { background: $accent_soft; }
QFrame[kind="line"] { background: $border; border: none; }

#sidebar { background: $sidebar; border-right: 1px solid $border; }
#sidebar QLineEdit { background: $window; border-color: $border; }
#sidebar QLineEdit:focus { border-color: $accent; }
#header { background: $window; border-bottom: 1px solid $border; }
#composer { background: $raised; border: 1px solid $border_strong; border-radius: 18px; }
#composer[active="true"] { border-color: $accent; }
#code { background: $code; border: 1px solid $border; border-radius: ${RADIUS}px; padding: 8px 12px; }
#code:focus { border-color: $accent; }
#message { background: transparent; border: none; padding: 0; }
#send { background: $accent; border-radius: 16px; }
#send:hover { background: $accent_hover; }
#send:pressed { background: $accent_pressed; }
#send:disabled { background: $pressed; }
#send:focus { border: 2px solid $text; }
#stop { background: $hover; border-radius: 16px; }
#stop:hover { background: $pressed; }
#stop:focus { border: 2px solid $accent; }
#toast { background: $text; border-radius: ${RADIUS}px; }
#toast QLabel { color: $window; }
#toast QPushButton { color: $toast_link; font-weight: 600; }

QProgressBar { background: $pressed; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $border_strong; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 36px; }
QScrollBar::handle:horizontal { min-width: 36px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea, QAbstractScrollArea { border: none; background: transparent; }
QAbstractScrollArea::corner { background: transparent; }
QAbstractItemView:window { background: $raised; border: 1px solid $border_strong; }
QScrollArea > QWidget > QWidget { background: transparent; }
""")


def stylesheet(colors: Colors) -> str:
    """The sheet for one palette."""
    light = colors in (LIGHT, LIGHT_CONTRAST)
    chevron = resource("icons", f"drop-down-{'light' if light else 'dark'}.svg").as_posix()
    sizes = {
        name: getattr(where, name) for where in (Size, Space) for name in vars(where) if name.isupper()
    }
    other = DARK if light else LIGHT
    return _SHEET.substitute(colors._asdict(), **sizes, chevron=chevron, toast_link=other.link)
