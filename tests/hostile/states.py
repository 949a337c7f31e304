# ruff: noqa: E501, RUF001 - tables, an address a line; Chinese has its own comma
"""Pages that are not what they seem: missing ones that say 200, walls, challenges, and what looks like them."""

from tests.crawler.reading_pages import PROSE, page, paragraphs
from tests.hostile.address import ARTICLE, OK, Address, Found, html, judged, titled, warned

SOFT = {
    "en": ("Page not found", "Sorry, we could not find the page you are looking for."),
    "de": ("Seite nicht gefunden", "Die gesuchte Seite gibt es leider nicht mehr."),
    "fr": ("Page introuvable", "La page demandée n'existe pas ou a été supprimée."),
    "es": ("Página no encontrada", "La página que busca no existe o ha sido eliminada."),
    "ja": ("ページが見つかりません", "お探しのページは存在しません。"),
    "pl": ("Nie znaleziono strony", "Strona, której szukasz, nie istnieje lub została przeniesiona."),
    "ru": ("Страница не найдена", "Запрошенная страница не существует или была удалена."),
    "zh": ("页面不存在", "抱歉，您访问的页面不存在或已被删除。"),
}
TEASER = f"<h1>Lock gates</h1><p>{PROSE[0]}</p><h3>Subscribe to continue reading</h3>"
WALL = """<h1>Before you continue</h1><p>We use cookies. Please give your consent to cookies.</p>
<button>Accept all</button>"""
BUTTON = "<button onclick='this.parentNode.remove()'>Reject all</button>"
LAYER = f"<div style='position:fixed;bottom:0'>We use cookies. {BUTTON}</div>"
DEAF = "<div style='position:fixed;bottom:0'>We use cookies. <button>Reject all</button></div>"
GROWING = """<div id=c style='position:fixed;bottom:0'>We use cookies. <button onclick="
document.body.insertAdjacentHTML('beforeend', c.outerHTML)">Reject all</button></div>"""
DISMISSED = "consent_dismissed: "
ABOUT = titled(
    "How we answer for pages that are gone",
    "<article><h1>How we answer for pages that are gone</h1><p>A page that was not found is answered with the words "
    f"page not found and the status 404, as everybody does.</p>{paragraphs()}</article>",
)


def addresses(inner: str) -> list[Address]:
    """All of them. INNER is the canary's origin."""
    frame = page(f"{ARTICLE}<iframe src=/notice style='position:fixed;bottom:0'></iframe>")
    leaving = LAYER.replace("this.parentNode.remove()", f'location="{inner}/consent"')
    return [
        *(
            Address(f"/soft-{language}", [html(titled(title, f"<h1>{title}</h1><p>{text}</p>"))], judged("not_found"))
            for language, (title, text) in SOFT.items()
        ),
        Address("/about-missing-pages", [html(ABOUT)], OK),
        Address("/challenge", [html(titled("Just a moment...", "<h1>Verifying you are human</h1>"))], judged("blocked")),
        Address("/captcha", [html(titled("Robot check", "<p>Please prove that you are not a robot.</p><form></form>"))], judged("blocked")),
        Address("/login", [html(titled("Sign in", "<h1>Sign in</h1><form><input type=password></form>"))], judged("login")),
        Address("/paywall", [html(page(TEASER))], judged("paywall")),
        Address("/maintenance", [html(page("<h1>Down for maintenance</h1><p>Back soon.</p>"))], judged("error")),
        Address("/consent-wall", [html(titled("Before you continue", WALL))], judged("consent")),
        Address("/consent-layer", [html(page(ARTICLE + LAYER))], OK, warned(DISMISSED)),
        Address("/consent-in-a-frame", [html(frame), html(page(LAYER), path="/notice")], OK, warned(DISMISSED)),
        Address("/consent-without-effect", [html(page(ARTICLE + DEAF))], OK, warned(DISMISSED)),
        Address("/consent-that-grows", [html(page(ARTICLE + GROWING))], OK, warned(DISMISSED)),
        Address("/consent-that-leaves", [html(page(ARTICLE + leaving))], OK, Found("refused", "unknown", "render_refused")),
    ]  # fmt: skip
