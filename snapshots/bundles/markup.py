"""The little HTML that a report is made of. Whatever comes from a page goes through `text`, so that it stays text."""

import html
import re
from collections.abc import Iterable
from typing import Final

# What HTML does not allow, and what would turn round the words beside it.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]")
NAMED: Final = 12
"""Hex digits by which a passage is called: as many as every command takes for an id."""

_WEB: Final = re.compile(r"https?://[^\s\"'<>\\]+", re.ASCII)
_TAG: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def text(value: object) -> str:
    """Anything as text that is safe in HTML, in quoted attributes too."""
    return html.escape(_CONTROL.sub("\ufffd", str(value)))


def foreign(value: str, language: str | None = None, *, element: str = "span") -> str:
    """Text that comes from a page: with its own direction, which reaches no further than it does."""
    known = f' lang="{text(language)}"' if language and _TAG.fullmatch(language) else ""
    return f'<{element} dir="auto"{known}>{text(value)}</{element}>'


def address(url: str) -> str:
    """An address; a link if it leads to the web, and only plain text otherwise."""
    shown = f"<bdi>{text(url)}</bdi>"
    if _WEB.fullmatch(url) is None:
        return f'<span class="address">{shown}</span>'
    return f'<a class="address" rel="noreferrer noopener nofollow" href="{text(url)}">{shown}</a>'


def code(value: str) -> str:
    """An id, or something to type."""
    return f"<code>{text(value)}</code>"


def time(value: str) -> str:
    """A time as records have it, for people and for programs."""
    return f'<time datetime="{text(value)}">{text(value[:10])} {text(value[11:19])} UTC</time>'


def table(head: Iterable[str], rows: Iterable[Iterable[str]], *, caption: str) -> str:
    """A table; cells are HTML, the first of each row names it."""
    top = "".join(f'<th scope="col">{one}</th>' for one in head)
    lines = []
    for row in rows:
        first, *rest = row
        lines.append(f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>")
    return (
        f'<div class="wide"><table><caption>{text(caption)}</caption><thead><tr>{top}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names and what they are; the second of each pair is HTML."""
    return "<dl>" + "".join(f"<div><dt>{text(name)}</dt><dd>{value}</dd></div>" for name, value in pairs) + "</dl>"


STYLE: Final = """
:root{color-scheme:light dark;--paper:#fbfaf7;--ink:#1d1f21;--soft:#5c6166;--line:#dcd8cf;--card:#ffffff;
--mark:#fdf0b8;--accent:#0b5a74;--good:#1c6b3a;--bad:#9b2226;--serif:Charter,"Bitstream Charter","Sitka Text",Cambria,
Georgia,serif;--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e7e5df;--soft:#a2a7ac;--line:#33383d;--card:#1c2024;
--mark:#4a4213;--accent:#7cc4dd;--good:#7fcf9c;--bad:#f0a3a0}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans);overflow-wrap:anywhere}
main,header,footer{max-width:52rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:3.5rem}
.over{margin:0;color:var(--accent);font-weight:600;letter-spacing:.08em;text-transform:uppercase;font-size:.8rem}
h1{font:600 clamp(1.8rem,5vw,2.6rem)/1.15 var(--serif);margin:.4rem 0 1rem;letter-spacing:-.01em}
h2{font:600 1.5rem/1.25 var(--serif);margin:3.25rem 0 1rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font:600 1.15rem/1.35 var(--serif);margin:0 0 .35rem}
h4{font-size:.95rem;margin:1.25rem 0 .4rem}
p{margin:0 0 .9rem}
.lead{font-size:1.1rem;color:var(--soft)}
a{color:var(--accent);text-underline-offset:.18em}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:3px}
nav ul{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;list-style:none;padding:0;margin:1.25rem 0 0;font-size:.95rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1.25rem 1.4rem;
margin:0 0 1.5rem}
.meta{color:var(--soft);font-size:.9rem;margin:0 0 .9rem}
.address{word-break:break-all}
figure{margin:1.1rem 0 0;padding:1.1rem 0 0;border-top:1px solid var(--line)}
blockquote{margin:0;font:1.08rem/1.65 var(--serif);white-space:pre-line}
blockquote .around{color:var(--soft)}
mark{background:var(--mark);color:inherit;padding:.06em .1em;border-radius:.15em;-webkit-box-decoration-break:clone;
box-decoration-break:clone}
.under{color:var(--soft);font-size:.85rem;margin:0 0 .5rem}
figcaption{font-size:.85rem;color:var(--soft);margin-top:.6rem}
.shot{display:block;max-width:100%;max-height:36rem;height:auto;border:1px solid var(--line);border-radius:.3rem;
margin:1rem 0 0}
details{margin-top:.6rem;font-size:.9rem}
summary{cursor:pointer;color:var(--accent)}
dl{margin:.6rem 0;font-size:.9rem}
dl div{display:grid;grid-template-columns:11rem 1fr;gap:.1rem 1rem;padding:.3rem 0;border-bottom:1px solid var(--line)}
dl div:last-child{border-bottom:0}
dt{color:var(--soft)}
dd{margin:0;min-width:0}
code{font:.84em/1.5 var(--mono);word-break:break-all}
pre{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.75rem .9rem;overflow-x:auto;
white-space:pre-wrap}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem;margin:.5rem 0 1rem}
caption{text-align:start;color:var(--soft);padding-bottom:.4rem}
th,td{text-align:start;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);
font-weight:400}
thead th{color:var(--soft)}
td{min-width:5rem}
.ok{color:var(--good)}
.no{color:var(--bad)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(16rem,1fr));gap:1.5rem}
.two ul{margin:0;padding-inline-start:1.1rem}
.two li{margin-bottom:.6rem}
footer{padding-top:2rem;padding-bottom:4rem;color:var(--soft);font-size:.88rem}
@media (max-width:36rem){dl div{grid-template-columns:1fr}article{padding:1rem}header{padding-top:2rem}}
@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#000;--mark:#eee;--good:#000;
--bad:#000}body{font-size:10.5pt}nav{display:none}article{border-radius:0;padding:0;border:0}
figure,tr,dl div{break-inside:avoid}
h2,h3{break-after:avoid}main,header,footer{max-width:none}details::details-content{content-visibility:visible;display:block}mark{-webkit-print-color-adjust:exact;
print-color-adjust:exact}}
"""
