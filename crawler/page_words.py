"""How pages in many languages say that they are not what was asked for; the patterns are in `page_words.toml`.

THINGS          what has an address: a page, an article, a file
MISSING         that it is not there; with THINGS in the same sentence
PAGE_ITSELF     of things, those that a page is: what a headline says is missing is something else
MISSING_ALONE   the same without a thing, where the whole heading says nothing else
ASKED_FOR       that *you* asked for it: an article seldom speaks so
TURNED_AWAY     prove that you are a person; you may not see this
CONDITION       how a sentence begins that says what happens if something is done
LOG_IN          what a page, form or button for logging in is called
LOG_IN_FIRST    this is shown only to those who are logged in
TO_ANSWER       for what else one has to be logged in, on a page that everybody can read
PAY_TO_READ     the rest is for those who pay
OFFERS          what stands where PAY_TO_READ does, and elsewhere
BROKEN          an error, maintenance
FOR_NOW         of these, what is said of roads and lifts too
THE_SITE        that it is said of a site
DAY             a day of a month
NOT_YET         scripts are missing, or a while
CONSENT_FIRST   agree to something before anything is shown
AGREE           what the buttons below that are called
FILLER          what stands beside such words without a meaning of its own
REFUSE_BUTTON   the whole label of a button that says no, as text: it is handed to a page
AGREE_BUTTON    the same for one that says yes
ABOUT_CONSENT   what a notice speaks of, as text
TELLS_HOW       that a heading is one of a text about such things
"""

import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

_JOINED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Any of the patterns; those of scripts that do not space words may begin anywhere."""
    return re.compile("|".join(p if _JOINED.search(p) else rf"(?<!\w)(?:{p})" for p in patterns))


_LISTS: Final = tomllib.loads(files("crawler").joinpath("page_words.toml").read_text(encoding="utf-8"))

THINGS: Final = _any_of(_LISTS["things"])
MISSING: Final = _any_of(_LISTS["missing"])
MISSING_ALONE: Final = _any_of(_LISTS["missing_alone"])
PAGE_ITSELF: Final = _any_of(_LISTS["page_itself"])
ASKED_FOR: Final = _any_of(_LISTS["asked_for"])
TURNED_AWAY: Final = _any_of(_LISTS["turned_away"])
CONDITION: Final = _any_of(_LISTS["condition"])
LOG_IN: Final = _any_of(_LISTS["log_in"])
LOG_IN_FIRST: Final = _any_of(_LISTS["log_in_first"])
TO_ANSWER: Final = _any_of(_LISTS["to_answer"])
PAY_TO_READ: Final = _any_of(_LISTS["pay_to_read"])
OFFERS: Final = _any_of(_LISTS["offers"])
BROKEN: Final = _any_of(_LISTS["broken"])
FOR_NOW: Final = _any_of(_LISTS["for_now"])
THE_SITE: Final = _any_of(_LISTS["the_site"])
DAY: Final = _any_of(_LISTS["day"])
NOT_YET: Final = _any_of(_LISTS["not_yet"])
CONSENT_FIRST: Final = _any_of(_LISTS["consent_first"])
AGREE: Final = _any_of(_LISTS["agree"])
FILLER: Final = re.compile(rf"(?:{_any_of(_LISTS['filler']).pattern}|[\d\W_]+)")
TELLS_HOW: Final = _any_of(_LISTS["tells_how"])
REFUSE_BUTTON: Final = "|".join(_LISTS["refuse"])
AGREE_BUTTON: Final = "|".join(_LISTS["agree_button"])
ABOUT_CONSENT: Final = "|".join(_LISTS["about_consent"])
SPEAKS_OF_CONSENT: Final = re.compile(ABOUT_CONSENT)
