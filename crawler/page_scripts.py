"""What is run inside a page, and what is handed to it. The scripts are in `crawler/scripts/`."""

from importlib.resources import files
from typing import Any, Final

from crawler.page_words import ABOUT_CONSENT, AGREE_BUTTON, REFUSE_BUTTON

_FOLDER: Final = files("crawler").joinpath("scripts")


def _script(name: str) -> str:
    return _FOLDER.joinpath(name).read_text(encoding="utf-8")


def _looking_inside(name: str) -> str:
    return f"(...given) => {{\n{_script('inside.js')}\nreturn (\n{_script(name)})(...given);\n}}"


DOCUMENT: Final = _looking_inside("document.js")
MEASURE: Final = _looking_inside("measure.js")
SCROLL: Final = _script("scroll.js")
CONSENT: Final = _script("consent.js")

STILL: Final = """
async () => {
  const fonts = document.fonts ? document.fonts.ready : null;
  await Promise.race([fonts, new Promise((done) => setTimeout(done, 1000))]);
  for (const one of document.getAnimations ? document.getAnimations() : []) {
    try { one.finish(); } catch (_) { one.cancel(); }
  }
  const root = document.documentElement, page = document.scrollingElement || root;
  return root ? [Math.max(root.clientWidth, page.scrollWidth), Math.max(1, page.scrollHeight)] : [1, 1];
}
"""
"""Before a picture: waits for the page's fonts, a second at most, and puts what moves at its end, or back if there
is none. Gives the page's width and height in pixels."""

SIZE: Final = """
() => {
  const root = document.documentElement, page = document.scrollingElement || root;
  return root ? [Math.max(root.clientWidth, page.scrollWidth), Math.max(1, page.scrollHeight)] : [1, 1];
}
"""
"""The same size, where nothing can be waited for."""

BEFORE_ALL: Final = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport"]) {
  try { Object.defineProperty(globalThis, name, { value: undefined }); } catch (_) {}
}
globalThis.print = () => {};
for (const name of ["assert", "count", "debug", "dir", "dirxml", "error", "group", "groupCollapsed", "info", "log",
  "table", "timeLog", "trace", "warn"]) console[name] = () => {};
"""
"""Runs before a page's own scripts, in every frame: what would connect around the proxy is not there. What a page says
to its console nobody reads, and handing it over would take all the time of a page that says much."""

_KNOWN: Final = (
    # buttons of widely used consent programs: those that refuse come first
    ("#onetrust-reject-all-handler", "refuse"),
    ("#didomi-notice-disagree-button, .didomi-continue-without-agreeing", "refuse"),
    ("#CybotCookiebotDialogBodyButtonDecline", "refuse"),
    ("[data-testid=uc-deny-all-button]", "refuse"),
    (".fc-cta-do-not-consent", "refuse"),
    (".sp_choice_type_REJECT_ALL", "refuse"),
    ("#onetrust-accept-btn-handler", "agree"),
    ("#didomi-notice-agree-button", "agree"),
    ("#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll, #CybotCookiebotDialogBodyButtonAccept", "agree"),
    ("[data-testid=uc-accept-all-button]", "agree"),
    (".fc-cta-consent", "agree"),
    (".sp_choice_type_11", "agree"),
    (".cc-compliance .cc-dismiss, .cc-compliance .cc-allow", "agree"),
)

CONSENT_ARGUMENT: Final[dict[str, Any]] = {
    "refuse": f"^(?:{REFUSE_BUTTON})$",
    "agree": f"^(?:{AGREE_BUTTON})$",
    "about": ABOUT_CONSENT,
    "known": _KNOWN,
}
