# ruff: noqa: E501 - tables, an address a line
"""Redirects that go round, on and on, inwards, or nowhere."""

from tests.crawler.reading_pages import page
from tests.hostile.address import ARTICLE, OK, Address, Found, failed, html, judged
from tests.sites import Route, redirect

PAGE = page(ARTICLE)
ROUND = failed("error", "redirect_loop")
ON_AND_ON = failed("error", "too_many_redirects")
INWARDS = failed("refused", "address_refused")


def refresh(to: str, seconds: int = 0) -> str:
    """A page that sends its reader on."""
    return f'<meta http-equiv=refresh content="{seconds};url={to}">'


def addresses(inner: str, name: str) -> list[Address]:
    """All of them. INNER is the canary's origin, NAME one whose name leads there."""
    return [*_round(), *_inwards(inner, name), *_nowhere(), *_honest()]


def _round() -> list[Address]:
    counted = [
        redirect(f"/counts/{n}", f"/counts/{n + 1}", 302, ("Set-Cookie", f"n={n}; Path=/counts")) for n in range(30)
    ]
    heavy = [("Set-Cookie", f"c{n}=" + "x" * 3_000) for n in range(40)]
    sent_on = [html(refresh(f"/sent-on-and-on/{n + 1}")) for n in range(30)]
    return [
        Address("/loop", [redirect("/loop", "/loop-back"), redirect("/loop-back", "/loop")], ROUND),
        Address("/itself", [redirect("/itself", "/itself")], ROUND),
        Address("/itself-in-disguise", [redirect("/itself-in-disguise", "/./itself-in-disguise#x")], ROUND),
        Address("/chain/0", [redirect(f"/chain/{n}", f"/chain/{n + 1}") for n in range(30)], ON_AND_ON),
        Address("/counts/0", counted, ON_AND_ON),
        Address("/longer", [redirect("/longer*", "/longer?" + "x" * 9_000)], failed("refused", "address_too_long")),
        Address(
            "/sent-on-and-on/0",
            [Route(f"/sent-on-and-on/{n}", body=route.body) for n, route in enumerate(sent_on)],
            ON_AND_ON,
        ),
        Address("/heavy-cookies", [redirect("/heavy-cookies", "/plain", 302, *heavy)], OK),
        Address(
            "/says-nothing-for-long", [redirect("/says-nothing-for-long", "/plain", 302), Route("/none")], OK
        ),
    ]  # fmt: skip


def _inwards(inner: str, name: str) -> list[Address]:
    port = inner.rpartition(":")[2]
    spelled = {
        "number": inner,
        "name": name,
        "decimal": f"http://2130706433:{port}",
        "hexadecimal": f"http://0x7f.1:{port}",
        "octal": f"http://0177.0.0.1:{port}",
        "short": f"http://127.1:{port}",
        "zero": f"http://0:{port}",
        "six": f"http://[::1]:{port}",
        "mapped": f"http://[::ffff:127.0.0.1]:{port}",
        "translated": f"http://[64:ff9b::7f00:1]:{port}",
        "wide": f"http://\uff11\uff12\uff17.\uff10.\uff10.\uff11:{port}",
        "cloud": "http://169.254.169.254",
        "credentials": f"http://127.0.0.2:80@127.0.0.1:{port}",
        "slashes": f"//127.0.0.1:{port}",
        "backslashes": f"http:\\\\127.0.0.1:{port}",
        "encrypted": f"https://127.0.0.1:{port}",
    }
    by_status = [
        Address(f"/inwards-{how}", [redirect(f"/inwards-{how}", f"{to}/secret")], INWARDS)
        for how, to in spelled.items()
    ]
    return [
        *by_status,
        Address("/inwards-later", [redirect("/inwards-later", "/inwards-number", 307)], INWARDS),
        Address("/inwards-by-page", [html(refresh(f"{inner}/secret"))], INWARDS),
        Address("/inwards-by-header", [html(PAGE, ("Refresh", f"0; url={inner}/secret"))], INWARDS),
        Address("/inwards-in-a-while", [html(refresh(f"{inner}/secret", 9) + PAGE)], OK),
    ]


def _nowhere() -> list[Address]:
    elsewhere = {
        "file": "file:///etc/passwd",
        "ftp": "ftp://127.0.0.1/",
        "script": "javascript:alert(1)",
        "data": "data:text/html,<p>Here.</p>",
        "gopher": "gopher://127.0.0.1:6379/_INFO",
        "about": "about:blank",
    }
    port = failed("refused", "address_refused")
    return [
        *(
            Address(f"/to-{what}", [redirect(f"/to-{what}", to)], failed("refused", "scheme"))
            for what, to in elsewhere.items()
        ),
        Address("/to-a-mail-server", [redirect("/to-a-mail-server", "http://127.0.0.2:25/")], port),
        Address("/to-no-host", [redirect("/to-no-host", "http:///")], failed("refused", "bad_address")),
        Address("/to-no-port", [redirect("/to-no-port", "http://127.0.0.2:99999/")], failed("refused", "bad_address")),
        Address("/to-an-unknown-host", [redirect("/to-an-unknown-host", "http://no.invalid/")], failed("error")),
        Address("/to-nothing", [redirect("/to-nothing", "")], ROUND),
        Address(
            "/to-two-places",
            [redirect("/to-two-places", "/plain", 302, ("Location", "/slow"))],
            failed("error", "bad_redirect"),
        ),
        Address("/redirects-without-saying-where", [Route(status=302, body=PAGE)], OK),
        Address("/disallowed", [html(PAGE)], failed("refused", "robots_disallowed")),
        Address("/to-what-is-disallowed", [redirect("/to-what-is-disallowed", "/disallowed")], failed("refused", "robots_disallowed")),
    ]  # fmt: skip


def _honest() -> list[Address]:
    wall = redirect("/cookie-wall", "/cookie-wall", 302, ("Set-Cookie", "seen=1"))
    return [
        Address("/cookie-wall", [Route(cookie="seen=1", body=PAGE), wall], OK),
        Address("/sent-on", [html(refresh("/plain"))], Found(warning="refresh_followed: ", says=OK.says)),
        Address("/renews-itself", [html(refresh("") + PAGE)], OK),
        Address("/to-bytes", [Route(status=302, raw_headers=(b"Location: /caf\xe9",)), Route("/caf%E9", body=PAGE)], OK),
        Address("/news/old", [redirect("/news/old", "/")], judged("not_found")),
    ]  # fmt: skip
