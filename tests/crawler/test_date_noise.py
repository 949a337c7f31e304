"""Pages without a date of their own, in a dozen languages: what else is dated on them is never taken for theirs."""

import pytest

from tests.crawler.dated_words import LANGUAGES
from tests.crawler.reading_pages import page, paragraphs, read

KINDS = sorted(LANGUAGES["en"].noise())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_page_without_a_date_of_its_own_gets_none(language: str, kind: str) -> None:
    body = LANGUAGES[language].noise()[kind]

    reading = read(page(body, "<title>Millbrook</title>", f' lang="{language}"'))

    assert reading.published is None


ARTICLE = f"<article><h1>Lock gates</h1>{paragraphs()}</article>"


def rows(before: str, row: str, after: str) -> str:
    days = ("14 August 2025", "15 September 2025", "16 October 2025")
    return f"<article><h1>Gates</h1>{before}{''.join(row.format(day) for day in days)}{after}{paragraphs()}</article>"


def line(said: str) -> str:
    return f"<main><h1>Gates</h1><p>{said}</p>{paragraphs()}</main>"


ELSEWHERE = {
    "the day in the masthead": ("", f'<div id="top"><span>Sunday, 29 November 2026</span></div>{ARTICLE}', ""),
    "the day above the title": ("", f"<main><div>29 November 2026</div>{ARTICLE}</main>", ""),
    "an event in the address": ("https://harbour.example/events/2025/08/14/fair", ARTICLE, ""),
    "a calendar's day in the address": ("https://harbour.example/termine/14-08-2025/", ARTICLE, ""),
    "a day in the words of the address": ("https://harbour.example/fair-on-14-08-2025-at-noon", ARTICLE, ""),
    "a version in the address": ("https://harbour.example/docs/12.11.2025.3/gates", ARTICLE, ""),
    "a logo's address": ("", f'{ARTICLE}<img src="/uploads/2025/08/14/logo.png">', ""),
    "a shared picture's address": ("", ARTICLE, '<meta property="og:image" content="/uploads/2025/08/14/default.png">'),
    "the title": ("", f"<article><h1>Fair on 14 August 2025</h1>{paragraphs()}</article>", ""),
    "a title in the head": ("", ARTICLE, "<title>Fair on 14 August 2025</title>"),
    "a summary in the head": ("", ARTICLE, '<meta name="description" content="The fair of 14 August 2025">'),
    "two offers": ("", f"{ARTICLE}<p>14 August 2025</p><p>15 September 2025</p>", ""),
    "a chronicle": ("", rows("<ul>", "<li>{}: it was mended</li>", "</ul>"), ""),
    "a chronicle of chapters": ("", rows("", "<h2>{}</h2><p>It was mended.</p>", ""), ""),
    "a chronicle of terms": ("", rows("<dl>", "<dt>{}</dt><dd>It was mended.</dd>", "</dl>"), ""),
    "a table of results": ("", rows("<table>", "<tr><td>{}</td><td>3.1 m</td></tr>", "</table>"), ""),
    "a list of changes": ("", rows("", "<h2>2.1 ({})</h2><p>New.</p>", ""), ""),
    "the first of the coming events": (
        "", "<main><h1>Talks</h1><ul><li>14 August 2025 <a href=/e>A talk on old gates</a></li></ul></main>", ""),
    "a fact in a box": (
        "", f"<main><h1>Gates</h1><table><th>Run</th><td>14 August 2025</td></table>{paragraphs()}</main>", ""),
    "a delivery": ("", line("Delivery by 14 August 2025"), ""),
    "an availability": ("", line("<span class=date>Available from 14 August 2025</span>"), ""),
    "a day of prices": ("", line("Prices as of 14 August 2025"), ""),
    "a law's day": ("", line("Regulation of 4 March 2016"), ""),
    "a review of the text": ("", line("Medically reviewed on 14 August 2025"), ""),
    "a drawing": ("", f"{ARTICLE[:-10]}<svg><text>14 August 2025</text></svg></article>", ""),
    "code": ("", f"{ARTICLE[:-10]}<pre><code>Published: 14 August 2025</code></pre></article>", ""),
    "a template": ("", f"{ARTICLE[:-10]}<template><time>14 August 2025</time></template></article>", ""),
    "a tide table": ("", f"{ARTICLE}<table><tr><td>14.08.2025</td><td>3.1 m</td></tr></table>", ""),
    "a program's release": (
        "", f"<article><h1>Gates</h1><p>Version 2.1, 14 August 2025</p>{paragraphs()}</article>", ""),
    "a review of a product": ("", f'{ARTICLE}<div class="reviews"><p>Anna wrote on 14 August 2025: good</p></div>', ""),
    "a state in a script": ("", f'{ARTICLE}<script>var s={{"items":[{{"publishDate":"2025-08-14"}}]}}</script>', ""),
    "a form's day": ("", f'{ARTICLE}<input class="date" value="14.08.2025"><label class="date">Arrival</label>', ""),
    "what a feed in the margin says": ("", f'{ARTICLE}<div class="sidebar"><p>Published 14 August 2025</p></div>', ""),
    "another article's published line": (
        "", f"{ARTICLE}<article><h2>Other</h2><p>Published on 14 August 2025</p></article>", ""),
    "a teaser with its time": (
        "", f"{ARTICLE}<section><div><a href=/o>Other story</a><time>14 August 2025</time></div></section>", ""),
    "a film shown in the text": (
        "", ARTICLE, ('<title>Lock gates</title><script type="application/ld+json">'
        '{"@type":"VideoObject","name":"A day at sea","uploadDate":"2025-08-14"}</script>')),
    "the day when it goes": ("", ARTICLE, '<meta name="unpublished_date" content="2025-08-14">'),
    "the day of the next issue": ("", ARTICLE, '<meta name="next_publication_date" content="2025-08-14">'),
    "teasers that say when": (
        "", f'{ARTICLE}<div class="teaser"><h3>Other</h3><p>Published on 14 August 2025</p></div>', ""),
}  # fmt: skip


@pytest.mark.parametrize("where", sorted(ELSEWHERE))
def test_a_date_elsewhere_is_none_of_the_page_s(where: str) -> None:
    url, body, head = ELSEWHERE[where]

    reading = read(page(body, head), url=url or "https://harbour.example/gates")

    assert reading.published is None


@pytest.mark.parametrize("name", ["Lock gates", "Lock gates in winter | Harbour"])
def test_the_day_of_a_film_is_that_of_a_page_which_is_called_like_it(name: str) -> None:
    data = f'{{"@type":"VideoObject","name":"{name}","uploadDate":"2025-08-14"}}'
    head = f'<title>Lock gates in winter</title><script type="application/ld+json">{data}</script>'

    published = read(page(ARTICLE, head)).published

    assert published is not None
    assert (published.value, published.firm) == ("2025-08-14", True)
