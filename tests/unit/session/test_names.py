"""Session keys as file names: one key, one file, on every file system."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.session.names import file_name, key_of, older_names, spare_name

KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(KEYS, KEYS)
def test_two_keys_never_share_a_file_where_case_does_not_count(one: str, other: str) -> None:
    if one != other:
        assert file_name(one).casefold() != file_name(other).casefold()
        assert spare_name(one).casefold() != file_name(other).casefold()


@given(KEYS)
def test_a_name_is_safe_and_tells_its_key(key: str) -> None:
    name = file_name(key)
    assert name.isascii()
    assert not set(name) & set('<>:"/\\|?* ')
    assert len(name) <= 190
    assert name[0] not in ".~"
    if "~" not in name:
        assert key_of(name) == key


def test_case_and_windows_devices_are_encoded() -> None:
    assert file_name("cli:direct") == "cli%3Adirect.jsonl"
    assert file_name("Telegram") != file_name("telegram")
    for device in ("con", "nul", "com1", "lpt9", "con.txt", "aux"):
        assert file_name(device).startswith("%")
        assert key_of(file_name(device)) == device
    assert file_name("console") == "console.jsonl"
    assert file_name(".hidden").startswith("%2E")


def test_long_keys_differ_by_more_than_their_start() -> None:
    one, other = file_name("x" * 400), file_name("x" * 399 + "y")
    assert one != other
    assert max(len(one), len(other)) < 200


def test_names_that_nanobot_gave() -> None:
    assert older_names("telegram:1001") == ("telegram_1001.jsonl", "dGVsZWdyYW06MTAwMQ.jsonl")
    assert key_of("dGVsZWdyYW06MTAwMQ.jsonl") == "telegram:1001"
