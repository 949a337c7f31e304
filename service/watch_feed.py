"""Alarms as an Atom feed (RFC 4287). Pure. Links are relative: an installation has no address that would stay."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

MEDIA_TYPE: Final = "application/atom+xml"
API: Final = "/api/v1"

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold in any form; pages can."""


def feed(ident: str, title: str, path: str, updated: str, alarms: Iterable[Mapping[str, Any]]) -> bytes:
    """The feed at PATH with these alarms, the newest first, as `told_alarm` tells them."""
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{_text(ident)}</id>",
        f"<title>{_text(title)}</title>",
        f"<updated>{_text(updated)}</updated>",
        "<author><name>Citator</name></author>",
        f'<link rel="self" type="{MEDIA_TYPE}" href={_attribute(path)}/>',
        *(_entry(one) for one in alarms),
        "</feed>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _entry(alarm: Mapping[str, Any]) -> str:
    ident = str(alarm["id"])
    name = f"{alarm['name']}: " if alarm["name"] else ""
    what = "is as it was cited again" if alarm["event"] == "returned" else f"{alarm['page']}"
    title = f"{name}{alarm['url']} {what}"
    return "\n".join(
        [
            "<entry>",
            f"<id>urn:citator:alarm:{_text(ident.removeprefix('sha256:'))}</id>",
            f"<title>{_text(title)}</title>",
            f"<updated>{_text(alarm['at'])}</updated>",
            f"<category term={_attribute(alarm['event'])}/>",
            f'<link rel="alternate" href={_attribute(f"{API}/evidence/{ident}")}/>',
            f'<link rel="related" href={_attribute(alarm["url"])}/>',
            f'<content type="text">{_text(_words(alarm))}</content>',
            "</entry>",
        ]
    )


def _words(alarm: Mapping[str, Any]) -> str:
    """What changed, in plain text."""
    lines = [f"{alarm['reason']}"] if alarm["reason"] else []
    for one in alarm["passages"]:
        lines += ["", f"{one['verdict']}" + (f" ({', '.join(one['flags'])})" if one["flags"] else "")]
        lines.append(f"was: {one['quote'] if one['quote'] is not None else '(removed)'}")
        if one["now"] is not None and one["verdict"] != "exact":
            lines.append(f"now: {one['now']}")
    return "\n".join(lines).strip()


def _text(value: object) -> str:
    return escape(_NO_XML.sub("\ufffd", str(value)))


def _attribute(value: object) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", str(value)))
