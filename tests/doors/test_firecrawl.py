"""The Firecrawl door, with firecrawl-py in both of its versions."""

import json

import pytest
import requests
from firecrawl import Firecrawl, V1FirecrawlApp
from firecrawl.v2.types import ScrapeOptions
from firecrawl.v2.utils.error_handler import (
    BadRequestError,
    FirecrawlError,
    InternalServerError,
    RateLimitError,
    UnauthorizedError,
    WebsiteNotSupportedError,
)

from tests.doors.standing import Standing
from tests.postgres import free_port
from tests.service.opened import TOLL
from tests.sites import Site


def client(server: Standing, key: str | None = None) -> Firecrawl:
    return Firecrawl(api_key=key or server.key, api_url=server.url)


def test_a_scrape_gives_the_page_with_its_evidence_in_the_metadata(server: Standing, harbour: Site) -> None:
    page = client(server).scrape(harbour.url("/ferry"), formats=["markdown", "rawHtml", "links"])
    metadata = page.metadata_dict

    assert page.markdown == server.evidence(metadata["evidenceCapture"], "text").decode()
    assert page.raw_html is not None
    assert "<title>Ferry to the islands</title>" in page.raw_html
    assert metadata["status_code"] == 200
    assert metadata["source_url"] == harbour.url("/ferry")
    first = metadata["evidencePassages"][0]
    assert json.loads(server.evidence(first["id"]))["text"] == (page.markdown or "")[first["start"] : first["end"]]
    served = server.servings(metadata["evidenceRecord"])[0]
    assert json.loads(server.evidence(served.body))["data"]["markdown"] == page.markdown
    assert served.surface == "firecrawl"


def test_a_copy_is_told_as_one_and_zero_age_asks_again(server: Standing, harbour: Site) -> None:
    again = client(server).scrape(harbour.url("/bridge"))
    fresh = client(server).scrape(harbour.url("/bridge"), max_age=0)

    assert again.metadata_dict["cache_state"] == "hit"
    assert again.metadata_dict["cached_at"] == again.metadata_dict["evidenceRetrievedAt"]
    assert fresh.metadata_dict["cache_state"] == "miss"
    assert fresh.markdown == again.markdown


def test_only_what_is_kept_is_given_if_nothing_else_is_wanted(server: Standing, harbour: Site) -> None:
    def ask(path: str, **options: object) -> requests.Response:
        body = {"url": harbour.url(path)} | options
        headers = {"Authorization": f"Bearer {server.key}"}
        return requests.post(server.url + "/v2/scrape", json=body, headers=headers, timeout=60)

    kept, missing = ask("/bridge", lockdown=True), ask("/never-seen", lockdown=True)
    too_young = ask("/bridge", minAge=3_600_000_000)

    assert kept.json()["data"]["metadata"]["cacheState"] == "hit"
    assert (missing.status_code, missing.json()["code"]) == (404, "SCRAPE_LOCKDOWN_CACHE_MISS")
    assert (too_young.status_code, too_young.json()["code"]) == (404, "SCRAPE_NO_CACHED_DATA")


def test_formats_that_are_not_made_are_named(server: Standing, harbour: Site) -> None:
    page = client(server).scrape(harbour.url("/ferry"), formats=["markdown", "summary"])

    assert page.warning == "not made here: summary"
    assert "formats.summary" in server.record(page.metadata_dict["evidenceRecord"]).options["door"]["ignored"]


def test_a_search_and_whole_pages_with_it(server: Standing) -> None:
    plain = client(server).search("toll swing bridge", limit=2)
    whole = client(server).search("toll swing bridge", limit=2, scrape_options=ScrapeOptions(formats=["markdown"]))

    assert plain.web is not None
    assert whole.web is not None
    assert TOLL in (plain.web[0].description or "")
    assert "keeps this reply as record sha256:" in (plain.agent_hints or [""])[0]
    assert "quarter of an hour" in (whole.web[0].markdown or "")
    assert whole.web[0].metadata_dict["evidenceRecord"].startswith("sha256:")


def test_a_map_lists_the_site(server: Standing, harbour: Site) -> None:
    listed = client(server).map(harbour.url("/"))
    ferry = client(server).map(harbour.url("/"), search="ferry", limit=1)

    assert {link.url for link in listed.links} >= {harbour.url("/ferry"), harbour.url("/bridge")}
    assert [link.url for link in ferry.links] == [harbour.url("/ferry")]


def test_errors_are_those_that_the_client_knows(server: Standing, harbour: Site) -> None:
    limited = client(server, server.made_key("search", rate=1))
    limited.search("toll")

    with pytest.raises(UnauthorizedError):
        client(server, "fc-wrong").scrape(harbour.url("/ferry"))
    with pytest.raises(RateLimitError):
        limited.search("toll")
    with pytest.raises(WebsiteNotSupportedError, match=r"robots\.txt"):
        client(server).scrape(harbour.url("/private"))
    with pytest.raises(InternalServerError):
        client(server).scrape(f"http://127.0.0.1:{free_port()}/")
    with pytest.raises(FirecrawlError, match="no text"):
        client(server).scrape(harbour.url("/void"))
    with pytest.raises((BadRequestError, FirecrawlError)):
        client(server).scrape("no address at all")


@pytest.mark.filterwarnings("ignore:The `dict` method is deprecated")  # the client's own
def test_the_first_version_scrapes_and_searches(server: Standing, harbour: Site) -> None:
    app = V1FirecrawlApp(api_key=server.key, api_url=server.url)

    page = app.scrape_url(harbour.url("/ferry"))
    found = app.search("toll swing bridge", limit=2)

    assert "twelve crowns" in (page.markdown or "")
    assert TOLL in found.data[0]["description"]
    with pytest.raises(Exception, match=r"robots\.txt"):
        app.scrape_url(harbour.url("/private"))


def test_every_door_gives_the_same_text_of_a_page(server: Standing, harbour: Site) -> None:
    url, headers = harbour.url("/ferry"), {"Authorization": f"Bearer {server.key}"}

    def post(path: str, body: dict[str, object]) -> object:
        return requests.post(server.url + path, json=body, headers=headers, timeout=60).json()

    scraped = post("/v2/scrape", {"url": url})["data"]["markdown"]
    first = post("/v1/scrape", {"url": url})["data"]["markdown"]
    extracted = post("/tavily/extract", {"urls": url})["results"][0]["raw_content"]
    loaded = post("/openwebui/load", {"urls": [url]})[0]["page_content"]
    own = post("/api/v1/captures", {"url": url})["text"]

    assert scraped == first == extracted == loaded == own


def test_its_health_is_told_without_a_key(server: Standing) -> None:
    told = [requests.get(f"{server.url}/v0/health/{what}", timeout=60) for what in ("liveness", "readiness")]

    assert [(one.status_code, one.json()) for one in told] == [(200, {"status": "ok"})] * 2
