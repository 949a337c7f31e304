"""Which providers there are: those that the operator's settings name. One without its key is absent, not failing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from crawler.addresses import parse_address
from crawler.endpoint import Endpoint
from crawler.errors import BadAddress
from crawler.providers.asking import Form, HttpProvider
from crawler.providers.brave import Brave
from crawler.providers.contract import Provider
from crawler.providers.mediawiki import MediaWiki
from crawler.providers.openalex import OpenAlex
from crawler.providers.opensearch import OpenSearch
from crawler.providers.searxng import Searxng
from crawler.providers.tavily import Tavily
from crawler.resolving import Resolver

BRAVE_URL = "https://api.search.brave.com"
TAVILY_URL = "https://api.tavily.com"


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
    """Addresses with `{searchTerms}`."""
    user_agent: str = "Citator"


def chosen(settings: ProviderSettings, *, resolver: Resolver | None = None) -> tuple[Provider, ...]:
    """The providers that are set up, each by a name of its own.

    Raises:
        BadAddress: an address is none.
    """
    made: list[Provider] = []

    def add(name: str, address: str, form: Form, *secrets: str) -> None:
        endpoint = Endpoint(address, user_agent=settings.user_agent, resolver=resolver)
        taken = {one.name for one in made}
        own = next(one for one in (name, *(f"{name}-{n}" for n in range(2, 1000))) if one not in taken)
        made.append(HttpProvider(own, form, endpoint, secrets=secrets))

    if settings.searxng_url:
        add("searxng", settings.searxng_url, Searxng())
    if settings.brave_key:
        add("brave", settings.brave_url, Brave(settings.brave_key), settings.brave_key)
    if settings.tavily_key:
        add("tavily", settings.tavily_url, Tavily(settings.tavily_key), settings.tavily_key)
    for api, pages in settings.mediawiki.items():
        add(f"mediawiki.{parse_address(api).host}", api, MediaWiki(pages))
    if settings.openalex_url:
        add("openalex", settings.openalex_url, OpenAlex(settings.openalex_email))
    for address in settings.opensearch:
        if "{searchTerms}" not in unquote(address):
            raise BadAddress(address, "bad_address", "an OpenSearch address has {searchTerms} in it")
        host, _, template = address.partition("://")[2].partition("/")
        add(f"opensearch.{host.partition(':')[0].lower()}", address, OpenSearch(f"/{template}"))
    return tuple(made)
