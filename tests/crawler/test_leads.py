"""The lead of an article is part of its text; what else stands around a title is not."""

import pytest

from tests.crawler.reading_pages import PROSE, page, paragraphs, read

LEADS = {
    "en": "The ferry to Ferrow is to be replaced by a bridge, and those who live on the island were never asked.",
    "de": "Die Fähre nach Ferrow soll einer Brücke weichen, und die auf der Insel wohnen, hat niemand gefragt.",
    "es": "El transbordador de Ferrow dará paso a un puente, y a quienes viven en la isla nadie les preguntó.",
    "pl": "Prom do Ferrow ma zastąpić most, a tych, którzy mieszkają na wyspie, nikt nie zapytał o zdanie.",
    "ru": "Паром до Феррова должен уступить место мосту, и тех, кто живёт на острове, никто не спросил.",
    "zh": "费罗岛的渡轮将被一座桥取代而住在岛上的人从来没有被问过他们的意见也没有人打算去问。",
}
TITLE = "Ferry gives way"


def article(before: str, description: str, *, name: str = "description") -> str:
    head = f'<title>{TITLE}</title><meta name="{name}" content="{description}">'
    return page(f"<article><header><h1>{TITLE}</h1>{before}</header><div>{paragraphs(*PROSE)}</div></article>", head)


@pytest.mark.parametrize("language", sorted(LEADS))
@pytest.mark.parametrize("element", ["p", "h2", "div"])
def test_a_lead_in_a_header_of_its_own_begins_the_text(element: str, language: str) -> None:
    lead = LEADS[language]

    reading = read(article(f"<{element}>{lead}</{element}>", lead))

    assert reading.text == "\n\n".join((lead, *PROSE))
    assert reading.blocks[0].type == "paragraph"
    assert [reading.text[b.start : b.end] for b in reading.blocks] == [lead, *PROSE]


def test_a_description_that_is_cut_or_says_more_is_still_the_leads() -> None:
    lead = LEADS["en"]

    cut = read(article(f"<p>{lead}</p>", f"{lead[:60]} …", name="og:description"))
    more = read(article(f"<p>{lead}</p>", f"From the island: {lead} Read on."))

    assert cut.text.startswith(lead)
    assert more.text.startswith(lead)


def test_what_the_page_does_not_describe_itself_with_is_no_lead() -> None:
    notice = "Comments on this story are closed until the council has met again."

    reading = read(article(f"<p>By Ada Quill, 3 March 2024, read in four minutes</p><p>{notice}</p>", LEADS["en"]))

    assert reading.text == "\n\n".join(PROSE)


def test_a_lead_that_is_in_the_text_is_not_there_twice() -> None:
    lead = LEADS["en"]
    head = f'<title>{TITLE}</title><meta name="description" content="{lead}">'

    reading = read(page(f"<article><h1>{TITLE}</h1>{paragraphs(lead, *PROSE)}</article>", head))

    assert reading.text.count(lead) == 1


@pytest.mark.parametrize(
    "holder",
    ["<nav><p>{}</p></nav>", "<a href='/x'><p>{}</p></a>", "<p class='photo-caption'>{}</p>", "<ul><li>{}</li></ul>"],
)
def test_menus_cards_and_captions_that_say_the_same_are_no_lead(holder: str) -> None:
    reading = read(article(holder.format(LEADS["en"]), LEADS["en"]))

    assert reading.text == "\n\n".join(PROSE)


def test_a_title_that_is_also_the_description_is_no_lead() -> None:
    title = "The ferry to Ferrow gives way to a bridge after all these years"
    head = f'<title>{title} - Island News</title><meta name="description" content="{title}">'

    reading = read(page(f"<article><h1>{title}</h1><p>{title}</p><div>{paragraphs(*PROSE)}</div></article>", head))

    assert reading.text == "\n\n".join(PROSE)
