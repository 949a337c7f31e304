"""What a page is, besides whether it was got. A page that is not the one a reader wanted is never taken for it.

The rules weigh what a page says of itself by how much else it says: a wall is short, and says nothing but that it is
one. An article that mentions such words, or is about them, has prose of its own. Each state comes with its evidence, in
words of our own: what the rule saw, never the page's text.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from crawler import page_sayings as says
from crawler import page_words as words
from crawler.arrival import MOST_PROSE, Arrival
from crawler.consent import is_consent_text
from crawler.page_signs import LABEL, Signs, count_words
from crawler.reading import PageState

SHORT: Final = 60
"""Words of its own up to which one sentence makes a page what the sentence says."""
WALL: Final = 160
"""Words of its own that a wall has at most: explanation, an incident number, where to complain."""
LONG: Final = 350
"""Words in prose from which a page is an article, whatever its title says."""
TEASER: Final = 700
"""Words in prose that are shown of a text before one has to pay."""
SHARE: Final = 0.2
"""Share of a wall's own words that stand in sentences which say that it is one."""
LITTLE: Final = 30
"""Words of its own below which a page of much markup probably gets its text from a script."""
MUCH: Final = 1000
"""Characters of markup for each such word."""
MOST: Final = 0.5
"""Share of a page's own words that are most of them."""
MENU: Final = 4
"""Links in a menu that a site has which is up."""
STORY: Final = 12
"""Words below an article's heading that are a text, however short; a wall in an article's place speaks of itself."""
MAIN: Final = 75
"""Words of main text from which a page is one, whatever its heading says: walls explain themselves in fewer."""

STATUSES: Final[dict[int, PageState]] = {
    HTTPStatus.UNAUTHORIZED: "login",
    HTTPStatus.PAYMENT_REQUIRED: "paywall",
    HTTPStatus.FORBIDDEN: "blocked",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: "blocked",
    HTTPStatus.GONE: "not_found",
    HTTPStatus.TOO_MANY_REQUESTS: "blocked",
    HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS: "blocked",
}
"""What a status means whatever the page says; other errors may still be walls."""

_PRICE: Final = re.compile(  # in the currencies of the languages that the rules know
    r"\d[\d., \u00a0]*\s?(?:€|\$|£|¥|円|元|원|₽|₺|₴|₹|zł|kč|kr\b|tl\b|ft\b|lei\b|usd\b|eur\b|chf\b)"
    r"|\d\s?(?:\u0440\u0443\u0431|\u0433\u0440\u043d)|[€$£¥\uffe5₹₩]\s?\d"
)
Matcher = Callable[[str], bool]


def judge_page(arrival: Arrival, signs: Signs, *, consent_only: bool = False) -> tuple[PageState, tuple[str, ...]]:
    """The state of a page and what shows it."""
    for rule in (_challenge, _by_status, _by_address, _turned_away, _consent, _log_in, _missing, _broken, _paywall):
        found = rule(arrival, signs)
        if found is not None:
            return found
    if consent_only:
        return "consent", ("the only text is a consent notice",)
    return _emptiness(arrival, signs) or ("ok", ())


def why_browser(signs: Signs, state: PageState) -> str | None:
    """Why a browser would probably show more of the page than its HTML says; None if there is no sign of that."""
    if state == "empty" and signs.frameset:
        return "frameset"
    if state in ("consent", "empty") and (signs.scripts or signs.asks_for_scripts):
        return "empty_shell" if state == "empty" else "consent_wall"
    if not signs.scripts or state != "ok":
        return None
    thin = signs.own <= LITTLE and signs.prose <= LITTLE and signs.length >= MUCH * max(signs.own, 1)
    reasons = {
        "empty_root": bool(signs.roots) and signs.own <= SHORT,
        "asks_for_scripts": signs.asks_for_scripts and signs.own <= SHORT,
        "unfilled_elements": bool(signs.unfilled) and signs.own <= WALL,
        "little_text": thin,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


Found = tuple[PageState, tuple[str, ...]] | None


def _challenge(arrival: Arrival, signs: Signs) -> Found:
    """What the makers of challenges say of them, in headers and in the page."""
    if arrival.header("cf-mitigated") == "challenge":
        return "blocked", ("the server's header says that this is a challenge",)
    if arrival.header("x-amzn-waf-action") in ("challenge", "captcha"):
        return "blocked", ("the server's header says that this is a challenge",)
    if signs.marks and signs.own <= WALL and signs.prose <= SHORT:
        refused = arrival.status is not None and arrival.status >= HTTPStatus.BAD_REQUEST
        if refused or signs.own <= SHORT // 2 or _says(signs, says.is_turning_away):
            return "blocked", ("the page holds a challenge's script and next to no text",)
    return None


def _by_status(arrival: Arrival, signs: Signs) -> Found:
    status = arrival.status
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return None
    seen = f"status {status}"
    if status == HTTPStatus.FORBIDDEN and signs.passwords and _calls(signs, says.is_log_in):
        return "login", (seen, "it asks for a password")
    if status in STATUSES:
        return STATUSES[status], (seen,)
    if signs.own <= WALL and (signs.captcha or _says(signs, says.is_turning_away)) and not _says(signs, says.is_broken):
        return "blocked", (seen, "it asks to prove that one is a person, or turns visitors away")
    return "error", (seen,)


def _by_address(arrival: Arrival, signs: Signs) -> Found:
    """Where we were sent."""
    for kind, (state, called, most) in MOST_PROSE.items():
        if arrival.led_to(kind) and (signs.prose <= most or (kind == "log in" and signs.passwords)):
            return state, (f"redirected to {arrival.final}, which calls itself {called}",)
    if arrival.led_home:
        return "not_found", (f"redirected from {arrival.asked} to the home page {arrival.final}",)
    return None


def _turned_away(_arrival: Arrival, signs: Signs) -> Found:
    if signs.own > WALL or _is_a_text(signs) or signs.article or signs.posts > 1:
        return None
    opens = signs.passwords and _calls(signs, says.is_log_in)  # the door is beside the sign
    # Or it asks to wait, and says nothing of the visitor.
    waits = _called(signs, lambda text: says.is_broken(text) and not says.is_turning_away(text))
    if (opens or waits is not None) and not signs.captcha:
        return None
    where = _called(signs, says.is_turning_away)
    if where is not None and not _is_only_called_so(signs, says.is_turning_away):
        return "blocked", (f"the {where} turns visitors away or asks to prove that one is a person", _volume(signs))
    if signs.writes:  # the check belongs to a form that is there to write to somebody
        return None
    if _dominant(signs, says.is_turning_you_away, share=0.3 if signs.captcha else 0.35):
        return "blocked", ("the text turns visitors away or asks to prove that one is a person", _volume(signs))
    return None


def _consent(_arrival: Arrival, signs: Signs) -> Found:
    agreeing = sum(words.AGREE.match(button) is not None for button in signs.buttons)
    if not agreeing or _is_a_text(signs) or signs.article:
        return None
    if signs.main >= MAIN and signs.main >= 2 * signs.own:  # its text stands where others have their furniture
        return None
    titled = any(says.is_asking_for_consent(t) for t in signs.titles)
    first = bool(signs.headings) and says.is_asking_for_consent(signs.headings[0])
    little_else = signs.own <= WALL and is_consent_text(". ".join(signs.sentences))
    if little_else or ((titled or first) and _dominant(signs, says.is_asking_for_consent, share=0.1, most=LONG)):
        return "consent", ("the heading asks for consent, and nothing else is shown", _volume(signs))
    if signs.own <= WALL and _is_consent_or_pay(signs):
        return "consent", ("one has to agree or to pay, and nothing else is shown", _volume(signs))
    return None


def _is_consent_or_pay(signs: Signs) -> bool:
    """Whether all there is to read speaks of agreeing to something or of paying instead."""
    agreeing = [s for s in signs.sentences if says.is_asking_for_consent(s) or words.SPEAKS_OF_CONSENT.search(s)]
    offering = [s for s in signs.sentences if says.is_paying(s) or says.is_offer(s)]
    if not agreeing or not offering:
        return False
    said = sum(map(count_words, {*agreeing}))
    others = sum(map(count_words, set(signs.sentences) - {*agreeing, *offering}))
    return max(map(count_words, agreeing)) > LABEL // 3 and others <= min(said, LABEL)


def _log_in(_arrival: Arrival, signs: Signs) -> Found:
    if signs.own > WALL or _is_a_text(signs) or (signs.posts > 1 and not signs.passwords):
        return None
    named = any(says.is_log_in(text) for text in (*signs.titles, *signs.headings[:2]))
    if signs.passwords and (named or (signs.own <= SHORT and signs.prose <= LABEL and not signs.article)):
        return "login", ("it asks for a password", _volume(signs))
    if (where := _called(signs, says.is_log_in_first)) is not None and not _pays(signs):
        return "login", (f"the {where} asks to log in first", _volume(signs))
    if signs.identifiers and signs.own <= SHORT and (where := _called(signs, says.is_log_in)) is not None:
        return "login", (f"the {where} is that of a log-in form", _volume(signs))
    asks = signs.passwords or signs.identifiers
    if _dominant(signs, says.is_log_in_first, share=MOST if _sells(signs) else SHARE if asks else 0.3) and not _pays(
        signs
    ):
        return "login", ("the text asks to log in first", _volume(signs))
    return None


def _missing(arrival: Arrival, signs: Signs) -> Found:
    if _is_a_text(signs) or _is_only_called_so(signs, says.is_missing):
        return None
    titled = any(says.is_missing(t) for t in signs.titles) and not says.tells_how(signs.titles)
    headed = any(says.is_missing(h) for h in signs.headings)
    if titled and headed and signs.prose < LONG and not (signs.article and signs.prose > WALL):
        return "not_found", ("title and heading say that the page was not found", _volume(signs))
    if arrival.searched or (signs.article and signs.prose > SHORT):  # of a search, that nothing was found is the answer
        return None
    if (titled or headed) and signs.prose < WALL and not says.tells_how(signs.headings):
        subject = any(says.names_a_subject(h) and says.is_missing(h.partition(":")[0]) for h in signs.headings[:1])
        if subject or (signs.posts > 1 and not headed):  # the title is that of a text, or of a thread
            return None
        where = "title" if titled else "heading"
        if signs.own <= WALL or _says(signs, says.is_missing_to_you):
            return "not_found", (f"the {where} says that the page was not found", _volume(signs))
    told = "the text tells the visitor" if _dominant(signs, says.is_missing_to_you, share=SHARE) else None
    if told is None and _dominant(signs, says.is_missing_itself, share=MOST, most=SHORT):
        told = "the few words that there are say"
    return ("not_found", (f"{told} that the page was not found", _volume(signs))) if told else None


def _broken(_arrival: Arrival, signs: Signs) -> Found:
    if signs.article or signs.posts > 1 or _is_a_text(signs) or says.tells_how((*signs.titles, *signs.headings[:1])):
        return None
    if _is_only_called_so(signs, says.is_broken) or _is_an_announcement(signs):
        return None
    where = _called(signs, says.is_broken)
    alone = signs.own <= LABEL // 2 and (where is not None or not signs.headings)
    closed = alone or _says(signs, says.is_broken_itself) or _says(signs, says.is_of_the_site)
    if where is not None and signs.own <= SHORT * 2 and closed:
        return "error", (f"the {where} says that something is broken or closed for now", _volume(signs))
    if _sells(signs):
        return None
    if _dominant(signs, says.is_broken, share=0.3 if where or not signs.headings else 0.4) and closed:
        return "error", ("the text says that something is broken or closed for now", _volume(signs))
    return None


def _paywall(_arrival: Arrival, signs: Signs) -> Found:
    def said(what: Callable[[str], bool]) -> bool:
        called = (label for label in (*signs.labels, *signs.headings, *signs.buttons) if label not in signs.titles)
        return any(what(text) for text in called)

    if signs.free is False and (signs.prose <= WALL or (signs.prose <= LONG and said(says.is_offer))):
        return "paywall", ("its data says that it is not free to read, and there is little of it", _volume(signs))
    if signs.prose <= TEASER and signs.free is not True and said(says.is_paying):
        return "paywall", ("it asks to pay or to subscribe before one can read on", _volume(signs))
    return None


def _emptiness(_arrival: Arrival, signs: Signs) -> Found:
    if not signs.text:
        return "empty", ("no text" if not signs.words else "there is a place for the text, and none in it",)
    sentences = signs.sentences
    if sentences and signs.words <= SHORT and all(words.NOT_YET.match(s) for s in sentences if count_words(s) > 1):
        waiting = any(words.NOT_YET.match(s) for s in sentences)
        if waiting:
            return "empty", ("the only text asks for scripts, or to wait",)
    return None


# --- how much of a page says it ---


def _called(signs: Signs, is_said: Matcher) -> str | None:
    """Which of title and headings says it in a short sentence, unless one of them tells about it."""
    if says.tells_how((*signs.titles, *signs.headings[:2])):
        return None
    if any(count_words(t) <= says.HEADING and is_said(t) for t in signs.titles):
        return "title"
    return "heading" if any(count_words(h) <= says.HEADING and is_said(h) for h in signs.headings) else None


def _calls(signs: Signs, is_said: Matcher) -> bool:
    return any(is_said(text) for text in (*signs.titles, *signs.headings, *signs.buttons))


def _says(signs: Signs, is_said: Matcher) -> bool:
    return any(is_said(text) for text in (*signs.titles, *signs.headings, *signs.sentences))


def _dominant(signs: Signs, is_said: Matcher, *, share: float, most: int = WALL) -> bool:
    """Whether the sentences that say it are so large a part of a short page that it says little else."""
    if signs.own > most or says.tells_how((*signs.titles, *signs.headings[:1])):
        return False
    said = sum(count_words(s) for s in signs.sentences if is_said(s))
    return said > 0 and said >= share * max(signs.own, 1)


def _sells(signs: Signs) -> bool:
    """Whether a price is shown: what a shop cannot deliver, or keeps for those who log in, is not the page."""
    return any(_PRICE.search(label) is not None for label in signs.labels)


def _pays(signs: Signs) -> bool:
    """Whether this is rather an article, or one that wants to be paid for."""
    return signs.article or (signs.prose > 0 and _says(signs, says.is_paying))


def _is_a_text(signs: Signs) -> bool:
    """Whether there is more to read than any wall has to say."""
    return min(signs.main, signs.own) > MAIN


def _is_only_called_so(signs: Signs, is_said: Matcher) -> bool:
    """Whether below the heading of an article nothing speaks of it, or to a visitor: a text may be called anything."""
    told = sum(map(count_words, signs.story))
    return told >= STORY and not any(is_said(s) or says.speaks_to_visitor(s) for s in signs.story)


def _is_an_announcement(signs: Signs) -> bool:
    """Whether a site that is up, as its menu shows, tells of a day on which something will be closed."""
    if signs.menu < MENU or _says(signs, says.is_broken_itself):
        return False
    return any(says.names_a_day(text) for text in (*signs.headings, *signs.sentences))


def _volume(signs: Signs) -> str:
    return f"{signs.own} words of its own, {signs.prose} of them in prose"
