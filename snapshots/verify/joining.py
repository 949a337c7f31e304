"""Joins the modules of the verifier into one file that runs by itself: `verify.py`, which every bundle carries.

The text of each module is kept as it is, but for what only makes sense in a package: imports of one another go, all
other imports are gathered at the top, and docstrings are cut to their first line. The same modules give the same bytes
on every version of Python.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

MODULES = (
    "errors",
    "ids",
    "times",
    "merkle",
    "note",
    "proof",
    "bundles.surt",
    "verify.claims",
    "verify.strict_json",
    "verify.forms",
    "verify.record_tables",
    "verify.kinds",
    "verify.passage_bytes",
    "verify.der",
    "verify.ed25519",
    "verify.ecdsa",
    "verify.rsa",
    "verify.x509",
    "verify.chains",
    "verify.timestamps",
    "verify.zip_directory",
    "verify.zip_rules",
    "verify.members",
    "verify.gunzip",
    "verify.warc",
    "verify.http_bodies",
    "verify.warc_records",
    "verify.contents",
    "verify.record_lines",
    "verify.closure",
    "verify.blobs",
    "verify.log_proofs",
    "verify.statement",
    "verify.signers",
    "verify.datapackage",
    "verify.times_shown",
    "verify.capture_records",
    "verify.cdx",
    "verify.page_list",
    "verify.replay",
    "verify.foreign",
    "verify.checking",
    "verify.telling",
    "verify.command",
)
"""The modules in an order in which each comes after those that it needs."""

_TOP = '''#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Citator authors. Licensed under the Apache License, Version 2.0: you may use, change and pass on this
# file under its terms, https://www.apache.org/licenses/LICENSE-2.0. It comes without any warranty.
"""Verifies a bundle of evidence without Citator, without a network, and with nothing but Python 3.11 or newer.

    python3 -I verify.py [FILE|DIRECTORY ...] [--trust-key VKEY] [--trust-tsa PEM] [--require CLAIM] [--json]

It was joined from the modules of Citator's verifier. A copy of this program that came with a bundle can have been
changed together with the bundle: if much depends on it, take the one from a release of Citator.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):
    sys.exit("verify.py needs Python 3.11 or newer; this is %d.%d." % sys.version_info[:2])

'''

_BOTTOM = """

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], __file__))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(UNREADABLE)
"""


@cache
def joined_script() -> bytes:
    """The verifier as one Python file.

    Raises:
        ValueError: two modules have a public name in common, so that they cannot stand in one file.
    """
    return joined_modules("snapshots", MODULES, _TOP, _BOTTOM)


def joined_modules(package: str, modules: Sequence[str], top: str, bottom: str) -> bytes:
    """Modules of a package as one file between `top` and `bottom`; they import each other and the standard library.

    Raises:
        ValueError: as `joined_script`.
    """
    imports: set[str] = set()
    parts: list[str] = []
    owners: dict[str, str] = {}
    for module in modules:
        source, tree = _source(package, module)
        imports |= set(_foreign_imports(package, tree))
        text = _without_package(source, tree)
        for name in _defined(tree):
            if owners.setdefault(name, module) != module:
                text = _renamed(text, name, module, owners[name])
        parts.append(f"\n# ---- {module.rpartition('.')[2]}\n\n{text}")
    head = "\n".join(sorted(imports, key=lambda line: (line.startswith("from"), line)))
    return (top + head + "\n" + "\n".join(parts) + bottom).encode()


def _source(package: str, module: str) -> tuple[str, ast.Module]:
    *folders, name = module.split(".")
    source = files(package).joinpath(*folders, f"{name}.py").read_text()
    return source, ast.parse(source)


def _renamed(text: str, name: str, module: str, other: str) -> str:
    """The text with a private name that an earlier module has too under another one."""
    if not name.startswith("_"):
        raise ValueError(f"{module} and {other} both define {name}")
    return re.sub(rf"(?<![\w.]){name}\b", f"_{module.rpartition('.')[2]}{name}", text)


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (name.id for name in names if isinstance(name, ast.Name))


def _is_own(package: str, node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _foreign_imports(package: str, tree: ast.Module) -> Iterator[str]:
    """The imports of the standard library, a line for each name."""
    for node in tree.body:
        if _is_import(node) and not _is_own(package, node):
            for alias in node.names:  # type: ignore[attr-defined] # it is an import
                told = alias.name + (f" as {alias.asname}" if alias.asname else "")
                yield f"from {node.module} import {told}" if isinstance(node, ast.ImportFrom) else f"import {told}"


def _without_package(source: str, tree: ast.Module) -> str:
    """The source without imports and its own docstring, and with the first lines of all other docstrings."""
    lines = source.split("\n")
    cuts = [(node.lineno, node.end_lineno or node.lineno, "") for node in tree.body if _is_import(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if _is_docstring(first):
                cuts.append(_cut_docstring(first, lines, whole=isinstance(node, ast.Module)))  # type: ignore[arg-type]
    for start, end, instead in sorted(cuts, reverse=True):
        lines[start - 1 : end] = [instead] if instead else []
    return "\n".join(lines).strip("\n") + "\n"


def _is_docstring(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _cut_docstring(node: ast.Expr, lines: list[str], *, whole: bool) -> tuple[int, int, str]:
    start, end = node.lineno, node.end_lineno or node.lineno
    if whole:
        return start, end, ""
    line = lines[start - 1]
    return start, end, line if start == end else f'{line.rstrip()}"""'
