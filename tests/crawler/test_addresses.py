import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import BadAddress, canonical, parse_address, same_origin, same_site


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:8443/a", "https://example.com:8443/a"),
        ("http://example.com/a/../b/./c", "http://example.com/b/c"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
        ("  http://example.com/\n a ", "http://example.com/%20a"),
        ("http://exa\tmple.com/", "http://example.com/"),
        ("http://example.com/a?b=ü#part", "http://example.com/a?b=%C3%BC"),
        ("http://example.com/a?", "http://example.com/a"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/"),
        ("http://\uff45\uff58\uff41\uff4d\uff50\uff4c\uff45.com/", "http://example.com/"),
    ],
)
def test_one_address_has_one_form(text: str, href: str) -> None:
    address = parse_address(text)

    assert address.href == href
    assert parse_address(address.href) == address


@pytest.mark.parametrize(
    "text",
    [
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://127.1/",
        "http://127.0.1/",
        "http://%31%32%37.0.0.1/",
        "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://127.0.0.1./",
        "http:/127.0.0.1/",
        "http:127.0.0.1/",
        "http://user.example@127.0.0.1/",
    ],
)
def test_disguised_numbers_are_seen_as_the_number_they_are(text: str) -> None:
    address = parse_address(text, drop_credentials=True)

    assert address.host == "127.0.0.1"
    assert address.kind == "ipv4"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "bad_address"),
        ("example.com", "bad_address"),
        ("//example.com/", "bad_address"),
        ("http://", "bad_address"),
        ("http://exa mple.com/", "bad_address"),
        ("http://1.2.3.4.5/", "bad_address"),
        ("http://0o177.0.0.1/", "bad_address"),
        ("http://256.256.256.256/", "bad_address"),
        ("http://[::1%25eth0]/", "bad_address"),
        ("http://example.com:99999/", "bad_address"),
        ("http://\ud800.example/", "bad_address"),
        ("ftp://example.com/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://127.0.0.1:25/x", "scheme"),
        ("jar:http://127.0.0.1!/", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("http://user@example.com/", "credentials"),
        ("http://user:secret@example.com/", "credentials"),
        ("http://example.com/" + "a" * 9000, "address_too_long"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(BadAddress) as refusal:
        parse_address(text)

    assert refusal.value.reason == reason
    assert len(str(refusal.value)) < 400


def test_links_are_read_relative_to_their_page() -> None:
    page = "https://example.com/docs/guide/index.html?v=2#top"

    assert canonical("../api/", page) == "https://example.com/docs/api/"
    assert canonical("//other.example/x", page) == "https://other.example/x"
    assert canonical("?v=3", page) == "https://example.com/docs/guide/index.html?v=3"
    assert canonical("#part", page) == "https://example.com/docs/guide/index.html?v=2"
    assert canonical("mailto:a@example.com", page) is None


def test_credentials_can_be_dropped_instead() -> None:
    address = parse_address("https://user:secret@example.com/a", drop_credentials=True)

    assert address.href == "https://example.com/a"
    assert "secret" not in repr(address)


@pytest.mark.parametrize(
    ("one", "other", "origin", "site"),
    [
        ("http://example.com/a", "http://example.com:80/b", True, True),
        ("http://example.com/", "https://example.com/", False, True),
        ("http://www.example.com/", "http://docs.example.com/", False, True),
        ("http://one.co.uk/", "http://two.co.uk/", False, False),
        ("http://one.github.io/", "http://two.github.io/", False, False),
        ("http://127.0.0.1:81/", "http://127.0.0.1:82/", False, True),
        ("http://127.0.0.1/", "http://10.0.0.1/", False, False),
        ("http://localhost/", "http://otherhost/", False, False),
        ("http://wiki.corp.internal/", "http://files.corp.internal/", False, True),
        ("http://corp.internal/", "http://other.internal/", False, False),
        ("http://example.com/", "mailto:a@example.com", False, False),
    ],
)
def test_same_origin_and_same_site(one: str, other: str, origin: bool, site: bool) -> None:  # noqa: FBT001 - a table
    assert same_origin(one, other) is origin
    assert same_site(one, other) is site


@given(st.text(max_size=60))
def test_the_canonical_form_is_stable_for_any_text(text: str) -> None:
    first = canonical(text, "http://example.com/base/")

    assert first is None or canonical(first) == first
