import re
import urllib.error
import urllib.request
from typing import get_args
from urllib.parse import urljoin

import pytest

from service.demo.site import Site, Version, pages
from service.demo.telling import excerpt, short


@pytest.mark.parametrize("version", get_args(Version))
def test_every_link_of_the_site_leads_to_one_of_its_pages(version: Version) -> None:
    site = pages(version)

    links = {link for body in site.values() for link in re.findall(rb'href="([^"]+)"', body)}

    assert {urljoin("/", link.decode()) for link in links} <= set(site)
    assert len(site) > 7


def test_the_second_version_answers_differently_and_has_lost_a_page() -> None:
    first, second = pages("first"), pages("second")

    assert b"3.50 pounds" in first["/visiting.html"]
    assert b"4.20 pounds" in second["/visiting.html"]
    assert b"3.50 pounds" not in second["/visiting.html"]
    assert set(first) - set(second) == {"/storm.html"}


def test_the_site_shows_the_version_that_was_set_and_nothing_else() -> None:
    with Site() as site:
        before = urllib.request.urlopen(f"{site.address}storm.html").read()
        site.show("second")
        with pytest.raises(urllib.error.HTTPError) as gone:
            urllib.request.urlopen(f"{site.address}storm.html")
        gone.value.close()

    assert b"sea gate" in before
    assert gone.value.code == 404


def test_an_excerpt_lies_around_the_words_and_marks_them() -> None:
    text = "begin " * 200 + "a ticket for children costs little" + " end" * 200

    shown = excerpt(text, ["ticket for children"])

    assert "ticket for children" in shown.plain
    assert shown.plain.startswith("… ")
    assert shown.plain.endswith(" …")
    assert [shown.plain[span.start : span.end] for span in shown.spans] == ["ticket for children"]


def test_a_short_id_is_the_shortest_that_is_accepted() -> None:
    assert short("sha256:" + "ab" * 32) == "sha256:abababababab…"
