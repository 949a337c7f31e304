"""Puts what a page of the later set has to say into what the makers of sites put around it: `shell(...)`.

Menus, scripts, consent layers, boxes to sign up and footers, in the page's language; pages that are right and pages
that are none get the same.
"""

import html
from collections.abc import Mapping
from typing import Any

Words = Mapping[str, Any]


def shell(kind: str, language: str, source: Mapping[str, str], words: Words) -> str:
    """The whole page. `kind`: news, shop, forum, office, blog or app; `source` has `site`, `title` and `main`."""
    right_to_left = ' dir="rtl"' if language == "ar" else ""
    classes = " ".join(filter(None, (f"site-{kind}", source.get("body_class", ""))))
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"{right_to_left}>\n{_head(kind, source)}\n<body class="{classes}">\n'
        f"{_before(kind, source, words)}\n"
        f'<main id="content" role="main">\n{source["main"].strip()}\n</main>\n'
        f"{_after(kind, source, words)}\n</body>\n</html>"
    )


def _head(kind: str, source: Mapping[str, str]) -> str:
    title = html.escape(source["title"])
    site = html.escape(source["site"])
    styles = {"blog": "/wp-content/themes/plain/style.css?ver=6.4", "forum": "/styles/prosilver/theme/style.css"}
    return (
        '<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<meta property="og:site_name" content="{site}">\n'
        f'<link rel="stylesheet" href="{styles.get(kind, "/assets/main.4c1d.css")}">\n'
        '<link rel="icon" href="/favicon.ico">\n'
        "<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}"
        "gtag('consent','default',{ad_storage:'denied',analytics_storage:'denied'});</script>\n"
        '<script async src="/consent/loader.js" data-domain-script="0c1e"></script>\n</head>'
    )


def _before(kind: str, source: Mapping[str, str], words: Words) -> str:
    site = html.escape(source["site"])
    items = "".join(f'<li><a href="/{number}">{item}</a></li>' for number, item in enumerate(words["menu"]))
    search = f'<input type="search" name="q" placeholder="{words["search"]}">'
    tools = f'<form class="search" action="/search">{search}</form>'
    if kind == "shop":
        tools += f'<a class="cart" href="/cart">{words["cart"]} (0)</a><a href="/account">{words["login"]}</a>'
    elif kind in ("news", "forum", "app"):
        tools += f'<a class="login" href="/login">{words["login"]}</a>'
    return (
        f'<a class="skip-link" href="#content">{words["skip"]}</a>\n<noscript>{words["noscript"]}</noscript>\n'
        f'<header class="site-header"><a class="brand" href="/">{site}</a>{tools}'
        f'<nav class="main-nav"><ul>{items}</ul></nav></header>'
    )


def _after(kind: str, source: Mapping[str, str], words: Words) -> str:
    site = html.escape(source["site"])
    letter = (
        f'<aside class="newsletter"><p>{words["letter"]}</p><form><input type="email" name="mail">'
        f"<button>{words['subscribe']}</button></form></aside>\n"
        if kind in ("news", "shop", "blog")
        else ""
    )
    return (
        f'{letter}<footer class="site-footer"><ul><li><a href="/privacy">{words["privacy"]}</a></li>'
        f'<li><a href="/terms">{words["terms"]}</a></li></ul><p>© 2024 {site}. {words["rights"]}.</p></footer>\n'
        f'<div id="cookie-notice" class="cookie-banner" role="dialog" aria-live="polite"><p>{words["cookies"]}</p>'
        f"<button>{words['accept']}</button><button>{words['reject']}</button></div>\n"
        '<script src="/assets/main.77ab.js" defer></script>'
    )
