"""Which providers there are: those that the operator's settings name. One without its key is absent, not failing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from crawler.addresses import parse_address
from crawler.endpoint import Endpoint
from crawler.providers.asking import Form, HttpProvider
from crawler.providers.brave import Brave
from crawler.providers.contract import Provider
from crawler.providers.mediawiki import MediaWiki
from crawler.providers.openalex import OpenAlex
from crawler.providers.opensearch import Described, OpenSearch
from crawler.providers.searxng import Searxng
from crawler.providers.tavily import Tavily
from crawler.proxies import DIRECT, Proxies
from crawler.resolving import Resolver

BRAVE_URL = "https://api.search.brave.com"
TAVILY_URL = "https://api.tavily.com"

RATES = {"brave": 1.0, "tavily": 1.5, "mediawiki": 5.0, "openalex": 10.0, "opensearch": 2.0}
"""Requests a second that each is asked at most: what its smallest plan allows, or what is polite."""


@dataclass(frozen=True)
class ProviderSettings:
    """What the operator says. Keys are kept out of every repr."""

    searxng_url: str | None = None
    brave_url: str = BRAVE_URL
    brave_key: str | None = field(default=None, repr=False)
    tavily_url: str = TAVILY_URL
    tavily_key: str | None = field(default=None, repr=False)
    openalex_url: str | None = None
    openalex_email: str | None = None
    mediawiki: Mapping[str, str] = field(default_factory=dict)
    """Address of each `api.php`, to the address of its pages with `$1`."""
    opensearch: tuple[str, ...] = ()
    """Addresses with `{searchTerms}`, or of the descriptions that name those."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Requests a second at most, by name; 0: no limit. Others: as `RATES` has them."""
    user_agent: str = "Citator"
    proxies: Proxies = DIRECT


def chosen(settings: ProviderSettings, *, resolver: Resolver | None = None) -> tuple[Provider, ...]:
    """The providers that are set up, each by a name of its own.

    Raises:
        BadAddress: an address is none.
    """
    made = _Making(settings, resolver)
    if settings.searxng_url:
        made.add("searxng", settings.searxng_url, Searxng())
    if settings.brave_key:
        made.add("brave", settings.brave_url, Brave(settings.brave_key), settings.brave_key)
    if settings.tavily_key:
        made.add("tavily", settings.tavily_url, Tavily(settings.tavily_key), settings.tavily_key)
    for api, pages in settings.mediawiki.items():
        made.add(f"mediawiki.{parse_address(api).host}", api, MediaWiki(pages))
    if settings.openalex_url:
        made.add("openalex", settings.openalex_url, OpenAlex(settings.openalex_email))
    for address in settings.opensearch:
        made.add_opensearch(address)
    return tuple(made.providers)


class _Making:
    """Makes providers, each with a name of its own and its rate."""

    def __init__(self, settings: ProviderSettings, resolver: Resolver | None) -> None:
        self._settings = settings
        self._resolver = resolver
        self.providers: list[Provider] = []

    def add(self, name: str, address: str, form: Form, *secrets: str) -> None:
        """One that is asked over HTTP."""
        own = self._own(name)
        self.providers.append(HttpProvider(own, form, self._endpoint(address), secrets=secrets, rate=self._rate(own)))

    def add_opensearch(self, address: str) -> None:
        """One by its address with the place for the words, or by its description."""
        host, _, place = address.partition("://")[2].partition("/")
        name = f"opensearch.{host.partition(':')[0].lower()}"
        if "{searchTerms}" in unquote(address):
            self.add(name, address, OpenSearch(f"/{place}"))
            return
        own = self._own(name)

        def described(template: str) -> Provider:
            there = "/" + template.partition("://")[2].partition("/")[2]
            return HttpProvider(own, OpenSearch(there), self._endpoint(template), rate=self._rate(own))

        self.providers.append(Described(own, self._endpoint(address), described))

    def _endpoint(self, address: str) -> Endpoint:
        used = self._settings
        return Endpoint(address, user_agent=used.user_agent, resolver=self._resolver, proxies=used.proxies)

    def _own(self, name: str) -> str:
        taken = {one.name for one in self.providers}
        return next(one for one in (name, *(f"{name}-{n}" for n in range(2, 1000))) if one not in taken)

    def _rate(self, name: str) -> float:
        return self._settings.rates.get(name, RATES.get(name.partition(".")[0], 0.0))
