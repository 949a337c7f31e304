"""How a page was come by, as far as it tells what the page is: status, the addresses, a few headers."""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from crawler.reading import PageState

TELLING: Final = frozenset(
    {"cf-mitigated", "server", "x-amzn-waf-action", "x-datadome", "www-authenticate", "x-sucuri-id"}
)
"""Names of the headers that say something about what a page is; readers need no others."""

MOST_PROSE: Final[dict[str, tuple[PageState, str, int]]] = {
    "missing": ("not_found", "an error page", sys.maxsize),
    "log in": ("login", "a log-in page", 160),
    "consent": ("consent", "a consent page", 350),
    "turned away": ("blocked", "one that turns visitors away", 160),
    "broken": ("error", "one that is broken or closed for now", 60),
}
"""What a page is that we were sent to, by what its address calls itself; how we say that; and the words in prose that
it has at most: a page with more of them is one."""

_HOME: Final = re.compile(
    r"/(?:index|home(?:page)?|default|main|start|welcome|startseite|accueil|inicio|portada|front-?page|startsida|forsiden?|"
    r"etusivu|anasayfa|glavnaya|strona-glowna|domov|uvod|pocetna)?(?:\.\w{2,5})?/?|/[a-z]{2}(?:[-_][a-z]{2,4})?/?",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"utm_\w+|[a-z]*clid|gclsrc|mc_[ce]id|_ga|_gl|ref(?:errer)?|src|source|from|cmp|campaign|lang(?:uage)?|locale|hl|nocache",
    re.IGNORECASE,
)
"""Parts of a query that say where a reader comes from or how the page is to be shown, and name no page."""


_WORDS_SOUGHT: Final = re.compile(
    r"q|qs|query|s|search(?:[-_]?(?:term|text|query|word|phrase)s?)?|keywords?|wd|kw|terms?|such(?:e|begriff|wort)|"
    r"recherche|buscar|busca|busqueda|cerca|zoek(?:term)?|szukaj|hledat|ara(?:ma)?|sok|soeg|haku",
    re.IGNORECASE,
)
"""Names in a query of what is looked for."""


def _named_so(words: str, *, alone: str = "") -> re.Pattern[str]:
    """Any of `words` as a word of an address, or of `alone` as all of its last part: headlines have such words too."""
    within, last = rf"(?:^|[/._-])(?:{words})(?:[/._?-]|$)", rf"/(?:{alone})(?:\.\w{{2,5}})?/?$"
    return re.compile("|".join([within] * bool(words) + [last] * bool(alone)), re.IGNORECASE)


_PATTERNS: Final = {
    "missing": _named_so(
        r"(?:error|fehler|erreur|errore?|chyba|blad|hata|page)[-_]?404|404[-_]?(?:error|fehler|erreur|page)|(?:page[-_]?)?not[-_]?found|fehlerseite|nicht[-_]gefunden|"
        r"introuvable|no[-_]encontrad[ao]|n[ao]o[-_]encontrad[ao]|non[-_]trovat[ao]|niet[-_]gevonden|nie[-_]znalezion[ao]|"
        r"hittades?[-_]inte|ikke[-_]fun[dn]et|ei[-_]loydy|nenalezen[ao]|bulunamadi|nem[-_]talalhato|negasita",
        alone="404|410",
    ),
    "log in": _named_so(
        r"log[-_]?in|log[-_]?on|sign[-_]?in|sso|oauth2?|saml2?|auth|auth-?wall|authenticate|sessions?/new|wp-login|anmelden|"
        r"anmeldung|connexion|se-connecter|identifiez-vous|iniciar-sesion|ingresar|acceso|accesso|accedi|entrar|inloggen|"
        r"logga-in|log-ind|logg-inn|kirjaudu|zaloguj|logowanie|prihlaseni|prihlasenie|prijava|bejelentkezes|autentificare|"
        r"giris|vhod"
    ),
    "consent": _named_so(
        r"consent|cookie-?wall|cookie-?gate|cookie-?consent|privacy-?(?:gate|wall|consent)|gdpr-?(?:consent|wall|gate)|"
        r"consent-?wall|zustimmung|einwilligung|consentement|toestemming"
    ),
    "turned away": _named_so(
        "",
        alone=r"captcha|(?:access[-_]?)?denied|(?:you-are-|ip-)?blocked|forbidden|403|bot-?(?:detected|detection|check)|robot-?check|"
        r"(?:human|browser)-?(?:verification|check)|verify-?human|are-?you-?(?:a-?)?human|unsupported-?browser|geo-?blocked",
    ),
    "broken": _named_so(
        "",
        alone=r"(?:under-?)?maintenance|wartung|(?:error-?)?50[0234]|server-?error|(?:temporarily-?)?unavailable|out-?of-?service",
    ),
}
_SAYS_MISSING: Final = re.compile(
    r"(?:error|status|code|e|err)?[-_]?404|(?:page[-_]?)?not[-_]?found|aspxerrorpath", re.IGNORECASE
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
            and _is_home(after.path) and not _names_a_page(after.query)
            and not (_is_home(before.path) and not _names_a_page(before.query))
        )  # fmt: skip

    @property
    def searched(self) -> bool:
        """Whether a search was asked for, and came: its address names words to look for."""
        pairs = parse_qsl(urlsplit(self.final).query)
        return not self.moved and any(_WORDS_SOUGHT.fullmatch(name) and "/" not in value for name, value in pairs)

    def led_to(self, kind: str) -> bool:
        """Whether we were sent to an address that calls itself by one of the kinds of `MOST_PROSE`."""
        if self.asked is None or not self.moved:
            return False
        if kind == "missing" and _says_missing(self.final) and not _says_missing(self.asked):
            return True
        pattern = _PATTERNS[kind]
        return pattern.search(_named(self.final)) is not None and pattern.search(_named(self.asked)) is None


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


def _names_a_page(query: str) -> bool:
    """Whether a query says which page of a site is meant."""
    return any(_ASIDE.fullmatch(name) is None for name, _ in parse_qsl(query, keep_blank_values=True))


def _says_missing(url: str) -> bool:
    """Whether the query of an address says that a page was not found."""
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    return any(
        _SAYS_MISSING.fullmatch(part) for name, value in pairs if not _ASIDE.fullmatch(name) for part in (name, value)
    )
