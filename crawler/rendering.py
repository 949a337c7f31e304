"""Rendering: what is asked of a browser and what comes of it, and when a page needs one. Plain values, no browser."""

from dataclasses import dataclass
from typing import Literal

RenderMode = Literal["auto", "never", "always"]
Shot = Literal["viewport", "full"]


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How pages are rendered. Times in seconds, sizes in bytes.

    `chromium` is a program, an address where one listens for DevTools (http or ws), `off`, or None: what is found.
    `pages` are rendered at once. `deadline` bounds all of one rendering, `max_bytes` what its page may load and how
    large its document may become. `sandbox` None: where the system lets it.
    """

    chromium: str | None = None
    sandbox: bool | None = None
    pages: int = 2
    deadline: float = 20.0
    max_bytes: int = 64 * 1024 * 1024
    locale: str = "en-US"
    time_zone: str = "UTC"
    width: int = 1280
    height: int = 800
    user_agent: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a rendering is to leave beside the document."""

    screenshot: Shot | None = None
    pdf: bool = False


@dataclass(frozen=True, slots=True)
class Navigation:
    """One document that the main frame went to by itself after the first: a script's redirect, a reload."""

    url: str
    status: int | None
    headers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """What the browser showed. `document` is the page's HTML as it then was, with shadow roots and frames in place.

    `url` is the address of the document, `browser` name and version of what rendered it. `actions` are what was done to
    the page, `warnings` what it was not allowed or what stayed open; both machine codes with a remark.
    """

    document: bytes
    url: str
    browser: str
    navigations: tuple[Navigation, ...] = ()
    actions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    screenshot: bytes | None = None
    pdf: bytes | None = None
    cut: bool = False
