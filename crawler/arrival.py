"""How a page was come by, as far as it tells what the page is: status, the addresses, a few headers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

TELLING: Final = frozenset(
    {"cf-mitigated", "server", "x-amzn-waf-action", "x-datadome", "www-authenticate", "x-sucuri-id"}
)
"""Names of the headers that say something about what a page is; readers need no others."""

_HOME: Final = re.compile(
    r"/(?:index|home|default|main|start|welcome)?(?:\.\w{2,5})?/?|/[a-z]{2}(?:[-_][a-z]{2,4})?/?", re.IGNORECASE
)
_LOG_IN: Final = re.compile(
    r"(?:^|[/._-])(?:log-?in|log-?on|sign-?in|sso|oauth2?|saml2?|auth|authenticate|wp-login|anmelden|anmeldung|connexion|"
    r"identifiez-vous|iniciar-sesion|acceso|accesso|entrar|inloggen|logga-in|zaloguj|prihlaseni|giris|vhod)(?:[/._?-]|$)",
    re.IGNORECASE,
)
_MISSING: Final = re.compile(
    r"(?:^|[/._-])(?:404|410|error-?404|404-?error|not-?found|page-?not-?found|notfound|nicht-gefunden|introuvable|"
    r"no-encontrad[ao]|nao-encontrad[ao]|non-trovat[ao]|niet-gevonden)(?:[/._?-]|$)",
    re.IGNORECASE,
)
_CONSENT: Final = re.compile(
    r"(?:^|[/._-])(?:consent|cookie-?wall|cookie-?consent|privacy-?(?:gate|wall|consent)|gdpr-?consent|consent-?wall)"
    r"(?:[/._?-]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """`asked` and `final` are addresses; `asked` is None where nobody asked (a file). `status` None: no HTTP reply."""

    final: str
    status: int | None = None
    asked: str | None = None
    headers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str | None:
        """The value of a header, in lower case."""
        return next((value.strip().lower() for key, value in self.headers if key.lower() == name), None)

    @property
    def moved(self) -> bool:
        """Whether another page came than was asked for; case of scheme, a leading www and a last slash aside."""
        return self.asked is not None and _place(self.asked) != _place(self.final)

    @property
    def led_home(self) -> bool:
        """Whether a page within a site was asked for and its home page came."""
        if self.asked is None or not self.moved:
            return False
        before, after = urlsplit(self.asked), urlsplit(self.final)
        return (
            _site(before.netloc) == _site(after.netloc)
            and _is_home(after.path) and not after.query and not (_is_home(before.path) and not before.query)
        )  # fmt: skip

    def led_to(self, kind: str) -> bool:
        """Whether we were sent to an address that calls itself `log in`, `missing` or `consent`."""
        pattern = {"log in": _LOG_IN, "missing": _MISSING, "consent": _CONSENT}[kind]
        if self.asked is None or not self.moved or pattern.search(_named(self.asked)):
            return False
        return pattern.search(_named(self.final)) is not None


def telling(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Those of `headers` that say something about what a page is."""
    return tuple((name, value) for name, value in headers if name.lower() in TELLING)


def _is_home(path: str) -> bool:
    return path == "" or _HOME.fullmatch(path) is not None


def _site(host: str) -> str:
    return host.lower().removeprefix("www.")


def _place(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return _site(parts.netloc.removesuffix(":80").removesuffix(":443")), parts.path.rstrip("/"), parts.query


def _named(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"
