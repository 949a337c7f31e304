"""Scrapy with trafilatura: asks for the addresses on stdin, reads each page, and tells when it began and ended."""

import json
import sys
import time

import scrapy
import trafilatura
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

URLS = json.load(sys.stdin)
told = {"began": 0.0, "ended": 0.0, "pages": 0, "characters": 0}
trafilatura.bare_extraction("<html><body><p>warm</p></body></html>", with_metadata=True)


class Pages(scrapy.Spider):
    """Reads pages as a person would who wants text, metadata and links."""

    name = "pages"
    start_urls = URLS
    custom_settings = {  # noqa: RUF012 - as Scrapy wants it
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 8,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        "DOWNLOAD_DELAY": 0,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def parse(self, response):  # noqa: ANN001, ANN201 - Scrapy's types are not at hand here
        """One page."""
        told["began"] = told["began"] or BEGAN
        document = trafilatura.bare_extraction(response.text, url=response.url, with_metadata=True)
        LinkExtractor().extract_links(response)
        told["pages"] += 1
        told["characters"] += len(document.text or "") if document is not None else 0


process = CrawlerProcess()
process.crawl(Pages)
BEGAN = time.time()
process.start()
told["ended"] = time.time()
json.dump(told, sys.stdout)
