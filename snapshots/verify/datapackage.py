"""`datapackage.json` and its digest: every member is listed with its size and hash, and none is there that is not."""

import re
from dataclasses import dataclass
from typing import Any, Final

from snapshots.errors import Unsound
from snapshots.verify.claims import Claim, Faults
from snapshots.verify.forms import Form, first_wrong, is_count, is_id_text, is_text, list_of, object_of, one_of
from snapshots.verify.members import Members
from snapshots.verify.statement import DATAPACKAGE, DIGEST
from snapshots.verify.strict_json import MAX_LINE, read_canonical, read_json
from snapshots.verify.zip_rules import FIRST_MEMBERS, LAST_MEMBERS

EVIDENCE_MEMBERS: Final = tuple(
    f"evidence/{name}"
    for name in (
        "README.txt",
        "blobs.jsonl",
        "bundle.json",
        "checkpoint.txt",
        "index.html",
        "log.vkey",
        "passages.jsonl",
        "proofs.jsonl",
        "records.jsonl",
        "statement.dsse.json",
        "verify.py",
    )
)
"""What every bundle has below `evidence/`."""

_RESOURCE = object_of(name=is_text, path=is_text, hash=is_id_text, bytes=is_count)
_BUNDLE_PACKAGE: Final[dict[str, Form]] = {
    "profile": one_of("data-package"),
    "wacz_version": one_of("1.1.1"),
    "title": is_text,
    "description": is_text,
    "created": is_text,
    "software": is_text,
    "resources": list_of(_RESOURCE),
}
_MAIN_PAGE: Final[dict[str, Form]] = {"mainPageUrl": is_text, "mainPageDate": is_text}
_FOREIGN_HASH = re.compile(r"(sha256|md5):[0-9a-f]+", re.ASCII)


@dataclass(frozen=True)
class Package:
    """Both files as they are: their values, or None where they cannot be read."""

    package: Any
    digest: Any


def read_package(members: Members, faults: Faults, *, bundle: bool) -> Package:
    """Reads both files; what is wrong with their form is noted."""
    package = _read(members, DATAPACKAGE, faults, canonical=bundle)
    digest = _read(members, DIGEST, faults, canonical=False) if DIGEST in members else None
    return Package(package, digest)


def _read(members: Members, name: str, faults: Faults, *, canonical: bool) -> Any:
    if name not in members:
        return None
    try:
        data = members.whole(name, MAX_LINE)
        return read_canonical(data) if canonical else read_json(data)
    except Unsound as problem:
        faults.add("datapackage-malformed", name, str(problem))
        return None


def check_members(
    found: Package,
    members: Members,
    created: str | None,
    faults: Faults,
    *,
    bundle: bool,
    absent: frozenset[str] = frozenset(),
) -> Claim:
    """The claim that the list of members is complete and right. All members have been read.

    `created` is the time that a bundle's records and tokens give; None for foreign archives. `absent` are members that
    a bundle need not have.
    """
    for name in _required(members, bundle=bundle):
        if name in absent:
            continue
        faults.add("required-member-missing", name, "is not there")
    package = found.package
    if package is not None:
        wrong = _wrong_form(package, bundle=bundle)
        if wrong is not None:
            faults.add("datapackage-malformed", DATAPACKAGE, f"it {wrong}")
            package = None
    if package is not None:
        _check_resources(package["resources"], members, faults, bundle=bundle)
    _check_digest(found.digest, members, faults, bundle=bundle)
    if bundle:
        _check_created(found, created, faults)
    trust = "SHA-256; without a signature it shows only that the file is undamaged"
    told = f"{len(members.sizes)} members, all listed with the right size and hash"
    if DIGEST not in members:
        told += "; there is no datapackage-digest.json, so nothing vouches for the list itself"
    return faults.verdict(told, "SHA-256" if bundle else trust)


def _required(members: Members, *, bundle: bool) -> list[str]:
    if bundle:
        return [name for name in (*FIRST_MEMBERS, *EVIDENCE_MEMBERS, *LAST_MEMBERS) if name not in members]
    missing = [name for name in ("pages/pages.jsonl", DATAPACKAGE) if name not in members]
    if not any(name.startswith("archive/") and name.endswith((".warc", ".warc.gz")) for name in members.sizes):
        missing.append("archive/*.warc.gz")
    if not any(name.startswith("indexes/") and not name.endswith(".idx") for name in members.sizes):
        missing.append("indexes/*.cdx.gz")
    return missing


def _wrong_form(package: Any, *, bundle: bool) -> str | None:
    if type(package) is not dict:
        return "is no object"
    if bundle:
        form = _BUNDLE_PACKAGE | (_MAIN_PAGE if "mainPageUrl" in package or "mainPageDate" in package else {})
        return first_wrong(package, form)
    if package.get("profile") != "data-package" or not is_text(package.get("wacz_version")):
        return "has not the profile data-package, or no wacz_version"
    resources = package.get("resources")
    if type(resources) is not list:
        return "lists no resources"
    right = all(
        type(each) is dict
        and is_text(each.get("path"))
        and is_count(each.get("bytes"))
        and is_text(each.get("hash"))
        and _FOREIGN_HASH.fullmatch(each["hash"])
        for each in resources
    )
    return None if right else "has a resource without path, bytes or hash"


def _check_resources(resources: list[dict[str, Any]], members: Members, faults: Faults, *, bundle: bool) -> None:
    listed: set[str] = set()
    for each in resources:
        path = each["path"]
        if path in listed:
            faults.add("datapackage-malformed", path, "is listed twice")
        listed.add(path)
        if path not in members:
            faults.add("member-missing", path, "is listed, and is not there")
            continue
        _check_resource(each, *members.digests[path], faults)
        if bundle and each["name"] != path.lower().replace("/", "-"):
            faults.add("datapackage-malformed", path, "is listed under a wrong name")
    expected = [name for name in members.sizes if name not in {DATAPACKAGE, DIGEST}]
    for name in expected:
        if name not in listed:
            faults.add("member-unlisted", name, "is there, and is not listed")
    if bundle and [each["path"] for each in resources] != expected and listed == set(expected):
        faults.add("datapackage-malformed", DATAPACKAGE, "lists the members in another order than they lie in")


def _check_resource(listed: dict[str, Any], digits: str, size: int, faults: Faults) -> None:
    path = listed["path"]
    if listed["hash"].startswith("md5:"):
        faults.add("datapackage-malformed", path, "is listed with an MD5 hash, which proves nothing")
    elif listed["hash"] != f"sha256:{digits}":
        faults.add("member-hash", path, f"hash mismatch: listed is {listed['hash']}, its bytes are sha256:{digits}")
    if listed["bytes"] != size:
        faults.add("member-size", path, f"has {size} bytes instead of {listed['bytes']}")


def _check_digest(digest: Any, members: Members, faults: Faults, *, bundle: bool) -> None:
    if digest is None or DATAPACKAGE not in members:
        return
    if type(digest) is not dict or digest.get("path") != DATAPACKAGE:
        faults.add("digest-mismatch", DIGEST, "is not about datapackage.json")
        return
    if bundle and digest.keys() != {"path", "hash", "signedData"}:
        faults.add("datapackage-malformed", DIGEST, "has other members than it should")
    found = f"sha256:{members.digests[DATAPACKAGE][0]}"
    if digest.get("hash") != found:
        faults.add(
            "digest-mismatch", DATAPACKAGE, f"hash mismatch: noted is {digest.get('hash')}, its bytes are {found}"
        )


def _check_created(found: Package, created: str | None, faults: Faults) -> None:
    signed = found.digest.get("signedData") if type(found.digest) is dict else None
    said = {
        DATAPACKAGE: found.package.get("created") if type(found.package) is dict else None,
        DIGEST: signed.get("created") if type(signed) is dict else None,
    }
    for where, value in said.items():
        if created is not None and value is not None and value != created:
            faults.add("created-mismatch", where, f"says it was made at {value}; evidence/bundle.json says {created}")
