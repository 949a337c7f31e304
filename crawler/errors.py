"""Everything that can go wrong when the web is asked, as one tree.

    CrawlError
    ├── BadAddress           the text is no address that can be asked
    ├── AddressRefused       the guard does not let us connect there; names the rule
    ├── RobotsRefused        the site's robots.txt does not let us fetch this, or cannot be had
    ├── NameNotFound         the host's name has no address
    ├── ProxyFailed          the operator's proxy made no connection
    ├── ConnectFailed        nobody answers at the address
    ├── TlsFailed            no trusted encrypted connection came about; carries what was seen of the certificates
    ├── TimedOut             nothing came for too long
    ├── CutShort             the body ended before its end
    ├── TooLarge             the body is larger than the limit
    ├── BrokenExchange       the answer is no HTTP, or the connection was lost before one came
    ├── PaceHeld             the site asked us to stay away for longer than we have time
    ├── BadRedirect          the redirect leads nowhere, in a circle, or too far
    ├── BadSitemap           the bytes are no sitemap that can be read safely
    ├── NoBrowser            there is no browser to render with
    ├── NotRendered          the browser could not show the page
    └── BadArchive           a file with captures of others cannot be read, or not to its end

`Fetcher.fetch` raises `BadAddress` only: what the web does is told by the outcome of the visit. Exceptions of the parts
underneath (httpcore2, h11, ssl, OSError, lxml) never leave `crawler`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.visit import Tls

SHOWN = 200
"""Code points of a wrong address that are repeated in its message: enough to find it, too few to flood a log."""


def shown(text: str) -> str:
    """Give `text` as it may stand in a message: one line, printable, of bounded length."""
    cut = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    return cut.encode("unicode_escape", "replace").decode("ascii") if not cut.isprintable() else cut


class CrawlError(Exception):
    """The root. `reason` is a machine code, the text a sentence for a person that holds no content of a page."""

    reason = "error"


class BadAddress(CrawlError):
    """The text is no address that can be asked: not parsable, another scheme, with credentials, or too long."""

    def __init__(self, text: str, reason: str, why: str) -> None:
        self.reason = reason
        super().__init__(f"{shown(text)!r} cannot be fetched: {why}")


class AddressRefused(CrawlError):
    """The guard does not let us connect. `rule` names the rule, for example `loopback` or `blocked_port`."""

    reason = "address_refused"

    def __init__(self, where: str, rule: str, why: str) -> None:
        self.rule = rule
        super().__init__(f"{shown(where)} is refused: {why} ({rule})")


class RobotsRefused(CrawlError):
    """The site's robots.txt forbids it (`robots_disallowed`) or cannot be had (`robots_unreachable`)."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class NameNotFound(CrawlError):
    """The host's name could not be resolved to any address."""

    reason = "name_not_found"


class ConnectFailed(CrawlError):
    """No connection came about at any of the host's addresses."""

    reason = "connect_failed"


PROXY_REASONS = frozenset({"proxy_unreachable", "proxy_login", "proxy_refused", "proxy_failed"})


class ProxyFailed(CrawlError):
    """The operator's proxy is not reached, or made no connection. Says nothing of where it is, nor who logs in there.

    `proxy_unreachable`, `proxy_login`, `proxy_refused` or `proxy_failed`. `final`: it would not connect to another
    number of the same host either.
    """

    def __init__(self, reason: str, message: str, *, final: bool = True) -> None:
        self.reason = reason
        self.final = final
        super().__init__(message)


class TlsFailed(CrawlError):
    """No trusted encrypted connection: `tls_certificate` if the certificate does not hold, else `tls_failed`.

    `tls` says what was seen on that very connection, `remote` where it led.
    """

    def __init__(self, reason: str, message: str, tls: "Tls", remote: str | None) -> None:
        self.reason = reason
        self.tls = tls
        self.remote = remote
        super().__init__(message)


class TimedOut(CrawlError):
    """Nothing came for too long: `connect_timeout`, `read_timeout`, or the whole time is up: `deadline`."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class CutShort(CrawlError):
    """The body is not whole: `cut_short`, `length_mismatch`, `content_encoding_cut` or `content_encoding_damaged`."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class TooLarge(CrawlError):
    """The body is larger than the limit before (`wire_limit`) or after (`body_limit`) content decoding."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class BrokenExchange(CrawlError):
    """The answer is no HTTP (`bad_response`), or the connection was lost before one came (`connection_lost`).

    Or it was broken off for what TLS names as its reason (`tls_failed`).
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class PaceHeld(CrawlError):
    """The site asked us to stay away for `seconds`, which is longer than there is time."""

    reason = "held"

    def __init__(self, host: str, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"{host} asked for no requests for another {seconds:.0f} seconds")


class BadRedirect(CrawlError):
    """The redirect cannot be followed: `redirect_loop`, `too_many_redirects`, `bad_redirect`, `redirect_refused`."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class BadSitemap(CrawlError):
    """The bytes are no sitemap, or one that cannot be read within the limits."""

    reason = "bad_sitemap"


class NoBrowser(CrawlError):
    """There is no Chromium to render with, or it cannot be started."""

    reason = "no_browser"


class NotRendered(CrawlError):
    """The browser could not show the page: `render_timeout`, `render_crashed`, `render_refused`, `render_failed`.

    `render_ill_formed`: browsers show an error of their own in its place.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class BadArchive(CrawlError):
    """A WARC or WACZ file cannot be read, or not to its end; `offset` is the place in the file, if there is one."""

    reason = "bad_archive"

    def __init__(self, message: str, *, offset: int | None = None) -> None:
        self.offset = offset
        super().__init__(message if offset is None else f"{message} (at byte {offset})")
