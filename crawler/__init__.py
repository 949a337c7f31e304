"""Asks the web: an address in, what was seen and its text out. No storage, no index.

The names below are the library's front door. They are loaded when first used, so that a process that only fetches
never loads the parsers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawler.addresses import Address as Address
    from crawler.addresses import canonical as canonical
    from crawler.addresses import parse_address as parse_address
    from crawler.addresses import same_origin as same_origin
    from crawler.addresses import same_site as same_site
    from crawler.archived import Archive as Archive
    from crawler.archived import Archived as Archived
    from crawler.archived import Turned as Turned
    from crawler.archived import open_archive as open_archive
    from crawler.clock import Clock as Clock
    from crawler.endpoint import Answered as Answered
    from crawler.endpoint import Endpoint as Endpoint
    from crawler.errors import AddressRefused as AddressRefused
    from crawler.errors import BadAddress as BadAddress
    from crawler.errors import BadArchive as BadArchive
    from crawler.errors import BadSitemap as BadSitemap
    from crawler.errors import CrawlError as CrawlError
    from crawler.errors import NameNotFound as NameNotFound
    from crawler.errors import NoBrowser as NoBrowser
    from crawler.errors import NotRendered as NotRendered
    from crawler.fetcher import Fetcher as Fetcher
    from crawler.frontier import Scope as Scope
    from crawler.frontier import SiteCrawl as SiteCrawl
    from crawler.frontier import Step as Step
    from crawler.guard import Guard as Guard
    from crawler.pace import SharedPace as SharedPace
    from crawler.providers.choosing import ProviderSettings as ProviderSettings
    from crawler.providers.choosing import chosen as chosen
    from crawler.providers.contract import Found as Found
    from crawler.providers.contract import Provider as Provider
    from crawler.providers.contract import ProviderFailed as ProviderFailed
    from crawler.providers.contract import ProviderReply as ProviderReply
    from crawler.providers.contract import Query as Query
    from crawler.proxies import DIRECT as DIRECT
    from crawler.proxies import Bypass as Bypass
    from crawler.proxies import Proxies as Proxies
    from crawler.proxies import Proxy as Proxy
    from crawler.reader import glance as glance
    from crawler.reader import read_page as read_page
    from crawler.reader_pool import ReaderPool as ReaderPool
    from crawler.reading import READER_VERSION as READER_VERSION
    from crawler.reading import Block as Block
    from crawler.reading import Charset as Charset
    from crawler.reading import Dated as Dated
    from crawler.reading import Language as Language
    from crawler.reading import Link as Link
    from crawler.reading import Reading as Reading
    from crawler.reading import RobotsMeta as RobotsMeta
    from crawler.renderer import Renderer as Renderer
    from crawler.rendering import Navigation as Navigation
    from crawler.rendering import Rendered as Rendered
    from crawler.rendering import RenderMode as RenderMode
    from crawler.rendering import RenderSettings as RenderSettings
    from crawler.rendering import Shot as Shot
    from crawler.rendering import Wanted as Wanted
    from crawler.resolving import Resolver as Resolver
    from crawler.robots import Rules as Rules
    from crawler.signs_in_text import Sign as Sign
    from crawler.signs_in_text import signs_in as signs_in
    from crawler.singlefile import SavedPage as SavedPage
    from crawler.singlefile import saved_page as saved_page
    from crawler.sitemap import Sitemap as Sitemap
    from crawler.sitemap import is_sitemap as is_sitemap
    from crawler.sitemap import read_sitemap as read_sitemap
    from crawler.visit import FetchSettings as FetchSettings
    from crawler.visit import Hop as Hop
    from crawler.visit import Like as Like
    from crawler.visit import RobotsMode as RobotsMode
    from crawler.visit import RobotsRuling as RobotsRuling
    from crawler.visit import Tls as Tls
    from crawler.visit import Visit as Visit

_HOMES = {
    "Address": "crawler.addresses",
    "AddressRefused": "crawler.errors",
    "Answered": "crawler.endpoint",
    "Archive": "crawler.archived",
    "Archived": "crawler.archived",
    "BadArchive": "crawler.errors",
    "BadAddress": "crawler.errors",
    "BadSitemap": "crawler.errors",
    "Block": "crawler.reading",
    "Bypass": "crawler.proxies",
    "canonical": "crawler.addresses",
    "Charset": "crawler.reading",
    "Clock": "crawler.clock",
    "CrawlError": "crawler.errors",
    "Dated": "crawler.reading",
    "Endpoint": "crawler.endpoint",
    "Fetcher": "crawler.fetcher",
    "FetchSettings": "crawler.visit",
    "Guard": "crawler.guard",
    "Hop": "crawler.visit",
    "Language": "crawler.reading",
    "Like": "crawler.visit",
    "Link": "crawler.reading",
    "NameNotFound": "crawler.errors",
    "Navigation": "crawler.rendering",
    "NoBrowser": "crawler.errors",
    "NotRendered": "crawler.errors",
    "open_archive": "crawler.archived",
    "parse_address": "crawler.addresses",
    "Found": "crawler.providers.contract",
    "Provider": "crawler.providers.contract",
    "ProviderSettings": "crawler.providers.choosing",
    "Query": "crawler.providers.contract",
    "chosen": "crawler.providers.choosing",
    "ProviderFailed": "crawler.providers.contract",
    "ProviderReply": "crawler.providers.contract",
    "DIRECT": "crawler.proxies",
    "Proxies": "crawler.proxies",
    "Proxy": "crawler.proxies",
    "glance": "crawler.reader",
    "read_page": "crawler.reader",
    "is_sitemap": "crawler.sitemap",
    "Sign": "crawler.signs_in_text",
    "signs_in": "crawler.signs_in_text",
    "read_sitemap": "crawler.sitemap",
    "READER_VERSION": "crawler.reading",
    "ReaderPool": "crawler.reader_pool",
    "Reading": "crawler.reading",
    "Rendered": "crawler.rendering",
    "Renderer": "crawler.renderer",
    "RenderMode": "crawler.rendering",
    "RenderSettings": "crawler.rendering",
    "Resolver": "crawler.resolving",
    "RobotsMeta": "crawler.reading",
    "RobotsMode": "crawler.visit",
    "RobotsRuling": "crawler.visit",
    "Rules": "crawler.robots",
    "same_origin": "crawler.addresses",
    "same_site": "crawler.addresses",
    "Scope": "crawler.frontier",
    "SharedPace": "crawler.pace",
    "Shot": "crawler.rendering",
    "SiteCrawl": "crawler.frontier",
    "Sitemap": "crawler.sitemap",
    "Step": "crawler.frontier",
    "SavedPage": "crawler.singlefile",
    "saved_page": "crawler.singlefile",
    "Turned": "crawler.archived",
    "Tls": "crawler.visit",
    "Visit": "crawler.visit",
    "Wanted": "crawler.rendering",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - the table is the one list of names; type checkers read the imports above


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
