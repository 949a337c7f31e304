"""What kind of content a body is."""

import pytest

from crawler.kinds import kind_of


@pytest.mark.parametrize("media_type", [None, "text/html", "text/plain"])
@pytest.mark.parametrize("comment", ["<!---->", "<!----> \n", "<!-- <!---->", "<!-- -- > -->\n"])
def test_however_many_comments_stand_in_front_a_kind_is_told_at_once(media_type: str | None, comment: str) -> None:
    comments = (comment * 250).encode()

    assert kind_of(comments + b"<html>", None) == "text/html"
    assert kind_of(comments + b"<rss>", media_type) == "application/xml"
    assert kind_of(comments + b"<x", media_type) == (media_type or "text/plain")
