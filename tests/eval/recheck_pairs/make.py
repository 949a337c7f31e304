"""Makes the pages and `pairs.jsonl` anew: `python -m tests.eval.recheck_pairs.make [FOLDER]`.

Reads `articles/`, `skeletons/` and `words.toml`; chance is seeded by the name of the pair, so the files come out the
same each time.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from datetime import timedelta
from html import escape
from pathlib import Path
from random import Random
from typing import Any

from tests.eval.recheck_pairs.markup import render
from tests.eval.recheck_pairs.surroundings import NOISE, Surroundings, Words, first
from tests.eval.recheck_pairs.typography import TYPOGRAPHY

HERE = Path(__file__).parent
Toml = dict[str, Any]


def edited(body: str, edits: list[list[str]]) -> str:
    """The source with each first text replaced by its second.

    Raises:
        ValueError: a text does not stand in the source exactly once.
    """
    for old, new in edits:
        if body.count(old) != 1:
            raise ValueError(f"{old!r} stands {body.count(old)} times")
        body = body.replace(old, new)
    return body


def moved(body: str, start: str, before: str) -> str:
    """The source with the line that starts with `start` put before the one that starts with `before`, or last."""
    lines = body.strip("\n").split("\n")
    line = next(each for each in lines if each.startswith(start))
    lines.remove(line)
    at = next((number for number, each in enumerate(lines) if before and each.startswith(before)), len(lines))
    return "\n".join([*lines[:at], line, *lines[at:]])


def page(article: Toml, around: Surroundings, words: Words, body: str, described: str, chance: Random) -> str:
    """One page: the skeleton with everything put in its place."""
    listed = {
        "menu": [f'<li><a href="/{number}">{words["menu"][number]}</a></li>' for number in around.menu],
        "related": [f'<li><a href="/r/{number}">{words["related"][number]}</a></li>' for number in around.related],
        "comments": [
            f'<div class="comment"><b>{escape(who)}</b><p>{escape(said, quote=False)}</p></div>'
            for who, said in around.comments
        ],
    }
    slots = {
        **{name: words[name] for name in ("dir", "share", "newsletter", "subscribe", "rights", "search")},
        **{name: words[name] for name in ("readalso", "discuss", "updated", "login")},
        **{name: "".join(parts) for name, parts in listed.items()},
        **{name: article[name] for name in ("lang", "title", "site", "host", "author", "published")},
        **{f"css{number + 1}": name for number, name in enumerate(around.css)},
        **{f"ad{number + 1}": words["ads"][each] for number, each in enumerate(around.ads)},
        "slug": article["id"].split("-", 1)[1],
        "description": escape(described),
        "jsonld": json.dumps(
            {
                "@context": "https://schema.org",
                "@type": "Article",
                "headline": article["title"],
                "dateModified": around.visited.isoformat(),
                "description": described,
            },
            ensure_ascii=False,
        ),
        "today": around.visited.strftime(words["date"]),
        "clock": str(int(around.visited.timestamp())),
        "ago": words["minutes"].format(n=around.minutes),
        "views": words["views"].format(n=around.views),
        "online": words["online"].format(n=around.online),
        "helpful": words["helpful"].format(n=around.shares),
        "ticker": words["ticker"].format(n=around.ticker, m=around.ticker * 7 + 20),
        "shares": str(around.shares),
        "year": str(around.year),
        "build": around.build,
        "nonce": around.nonce,
        "request": around.request,
        "slot": around.request[:4],
        "variant": f"v-{around.variant}",
        "banner": "" if around.banner is None else f'<div class="notice-bar">{words["banners"][around.banner]}</div>',
        "consent": ""
        if around.consent is None
        else (
            f'<div id="cookie-layer" role="dialog"><p>{words["consent"][around.consent]}</p>'
            f"<button>{words['accept']}</button><button>{words['reject']}</button></div>"
        ),
        "body": render(body, around.manner, chance),
    }
    skeleton = (HERE / "skeletons" / f"{around.skeleton}.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: slots[match[1]], skeleton)


def pair(article: Toml, wanted: Toml, number: int, words: Words) -> tuple[Toml, str, str]:
    """The line of `pairs.jsonl`, the old and the new page."""
    name = f"{article['id']}-{number}"
    chance = Random(name)
    kinds = wanted["noise"]
    old_around = first(article["skeleton"], words, chance)
    around = old_around
    for kind in kinds:
        if kind in NOISE:
            around = NOISE[kind](around, words, chance)
        elif kind not in {*TYPOGRAPHY, "moved blocks", "split and joined paragraphs"}:
            raise ValueError(f"{name}: no noise is called {kind!r}")
    around = Surroundings(**{**vars(around), "visited": around.visited + timedelta(minutes=3)})
    if "comment" in wanted:
        around = Surroundings(**{**vars(around), "comments": (*around.comments, tuple(wanted["comment"]))})
    old_body = edited(article["body"], wanted.get("before", []))
    body = edited(old_body, wanted.get("edits", []))
    for start, before in wanted.get("move", []):
        body = moved(body, start, before)
    for kind in kinds:
        if kind in TYPOGRAPHY:
            body = TYPOGRAPHY[kind](body, article["lang"])
    described = re.sub(r"<[^>]*>", "", old_body.strip().split("\n")[0])
    if wanted.get("stale"):
        described = wanted["quotes"][0]["text"]
    old = page(article, old_around, words, old_body, described, Random(name + " old"))
    new = page(article, around, words, body, described, Random(name + " new"))
    expectations = [
        {"quote": each["text"], "expect": each.get("expect", "same"), "kinds": each.get("kinds", [])}
        for each in wanted["quotes"]
    ]
    line = {
        "id": name,
        "language": article["lang"],
        "site": article["kind"],
        "url": f"https://{article['host']}/{article['id'].split('-', 1)[1]}",
        "change": any(each["expect"] == "changed" for each in expectations),
        "noise": kinds,
        "note": wanted["note"],
        "elsewhere": wanted.get("elsewhere", ""),
        "old": f"pages/{name}.old.html",
        "new": f"pages/{name}.new.html",
        "quotes": expectations,
    }
    return line, old, new


def pairs() -> Iterator[tuple[Toml, str, str]]:
    """All pairs, in the order of the articles' names."""
    words = tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))
    for path in sorted((HERE / "articles").glob("*.toml")):
        article = tomllib.loads(path.read_text(encoding="utf-8"))
        article["id"] = path.stem
        for number, wanted in enumerate(article["pair"], 1):
            try:
                yield pair(article, wanted, number, words[article["lang"]])
            except (ValueError, StopIteration, KeyError) as error:
                raise ValueError(f"{path.stem}-{number}: {error!r}") from error


def main(folder: Path) -> None:
    """Writes pages and list below `folder`."""
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    for stale in (folder / "pages").glob("*.html"):
        stale.unlink()
    lines = []
    for line, old, new in pairs():
        (folder / line["old"]).write_text(old, encoding="utf-8")
        (folder / line["new"]).write_text(new, encoding="utf-8")
        lines.append(json.dumps(line, ensure_ascii=False))
    (folder / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
