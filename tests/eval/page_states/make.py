"""Makes `pages.jsonl` and `later.jsonl` anew: `python -m tests.eval.page_states.make [FOLDER]`.

Reads `sources/` and `later/`. A page there is either whole (`html`) or what one has to say: in `sources/` an article or
message (`title`, `body`) that is put into one of the page frames of the re-check set, in `later/` the markup of it
(`main`) that is put into a shell, with what stands around it in its language.
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tests.eval.page_states.shells import shell
from tests.eval.recheck_pairs.make import HERE as FRAMES
from tests.eval.recheck_pairs.make import page as framed
from tests.eval.recheck_pairs.surroundings import first

HERE = Path(__file__).parent
HTML = "text/html; charset=utf-8"
Toml = dict[str, Any]


def html_of(name: str, language: str, source: Toml, words: Toml) -> str:
    """The page's HTML."""
    if "html" in source:
        return str(source["html"]).strip("\n")
    if "shell" in source:
        return shell(source["shell"], language, source, words)
    chance = Random(name)
    around = first(source["frame"], words, chance)
    if not source.get("lively", source["state"] == "ok"):
        around = replace(around, comments=(), banner=None)
    if "consent" in source:
        around = replace(around, consent=source["consent"])
    article = {
        "id": name,
        "lang": language,
        "title": source["title"],
        "site": source["site"],
        "host": source["asked"].split("/")[2],
        "author": source.get("author", ""),
        "published": source.get("published", ""),
    }
    text = source["body"].strip("\n")
    html = framed(article, around, words, text, text.split("\n")[0], chance)
    if "overlay" in source:
        start = html.lower().index("<body")
        at = html.index(">", start) + 1
        html = html[:at] + "\n" + source["overlay"].strip("\n") + html[at:]
    return html


def pages(folder: str = "sources") -> Iterator[Toml]:
    """All pages of one set, in the order of the sources' names."""
    words_of = {"sources": FRAMES / "words.toml", "later": HERE / "shell_words.toml"}[folder]
    all_words = tomllib.loads(words_of.read_text(encoding="utf-8"))
    for path in sorted((HERE / folder).glob("*.toml")):
        language = path.stem
        for source in tomllib.loads(path.read_text(encoding="utf-8"))["page"]:
            name = f"{language}-{source['name']}"
            headers = [["content-type", source.get("type", HTML)], *source.get("headers", [])]
            yield {
                "id": name,
                "language": language,
                "state": source["state"],
                "note": source["note"],
                "asked": source["asked"],
                "final": source.get("final", source["asked"]),
                "status": source.get("status", 200),
                "headers": headers,
                "html": html_of(name, language, source, all_words[language]),
            }


def main(folder: Path) -> None:
    """Writes both lists into `folder`."""
    for name, made in (("pages", pages()), ("later", pages("later"))):
        lines = [json.dumps(page, ensure_ascii=False) for page in made]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
