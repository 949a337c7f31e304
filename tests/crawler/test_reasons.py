import re
from pathlib import Path

import crawler.errors
from crawler.ranges import IPV4_CARRIERS, IPV4_RANGES, IPV6_RANGES

PAGE = (Path(__file__).parents[2] / "docs" / "fetching.md").read_text()
SOURCES = Path(crawler.errors.__file__).parent

NAMED = r"(?:TimedOut|CutShort|TooLarge|BrokenExchange|BadRedirect|RobotsRefused|TlsFailed)\(\s*\"([a-z_0-9]+)\""
IN_ADDRESS = r"BadAddress\(text, \"([a-z_0-9]+)\""
JUDGED = r"return \"\w+\", \"([a-z_0-9]+)\", "


def test_each_reason_that_a_visit_can_have_is_described() -> None:
    sources = "".join(path.read_text() for path in SOURCES.glob("*.py"))
    given = {code for pattern in (NAMED, IN_ADDRESS, JUDGED) for code in re.findall(pattern, sources)}
    classes = [kind for kind in vars(crawler.errors).values() if isinstance(kind, type)]
    given |= {kind.__dict__["reason"] for kind in classes if "reason" in kind.__dict__} - {
        "error",
        "bad_sitemap",
        "bad_archive",
    }

    described = set(re.findall(r"`([a-z_0-9]+)`", PAGE.partition("## Where")[0]))

    assert len(given) > 20
    assert given - described == set()


def test_each_rule_of_the_guard_is_described() -> None:
    rules = {rule for _, rule in (*IPV4_RANGES, *IPV6_RANGES, *IPV4_CARRIERS)} | {"blocked_port", "scoped"}

    described = set(re.findall(r"`([a-z_0-9]+?)_?…?`", PAGE.partition("## Where")[2]))

    assert rules - described == set()
