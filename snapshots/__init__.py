"""Keeps what was seen under names that prove it.

This is the library's front door: what it does not export, nobody outside may use. Everything but the errors is
loaded when it is first asked for, so that `import snapshots` costs nothing and needs no database, store or pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from snapshots.errors import (
    AmbiguousId,
    ArchiveClosed,
    BadId,
    BadProof,
    BadRecord,
    BadStamp,
    BadTrust,
    BundleError,
    CatalogueBusy,
    CatalogueDamaged,
    CatalogueError,
    CatalogueVersion,
    Conflict,
    DamagedObject,
    EvidenceError,
    LogDamaged,
    LogError,
    LogReadOnly,
    LostObject,
    Missing,
    NoConditionalWrites,
    NoLog,
    NothingToBundle,
    RemovedId,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreUnreachable,
    UnknownAlgorithm,
    UnknownId,
    Unsound,
    WrongLogKey,
)

if TYPE_CHECKING:
    from snapshots.answers import (
        KEPT,
        Candidate,
        Fetch,
        PassageRef,
        ProviderRank,
        ProviderReply,
        Result,
        ScorePart,
        Search,
        SearchState,
        Serving,
        Serving2,
    )
    from snapshots.archive import Archive, ProofOf
    from snapshots.batches import Batch, Kept, OrderedLog, Progress
    from snapshots.bundles.collecting import BundleAsked, Collected
    from snapshots.bundles.evidence import BundleTokens, NoTokens
    from snapshots.bundles.formats import FORMATS
    from snapshots.bundles.quoting import Quoted, quoted
    from snapshots.bundles.signing import BundleKey
    from snapshots.bundles.writing import Bundle, BundleMaker, write_bundle
    from snapshots.canonical import Json
    from snapshots.capture import Capture, Charset, Hop, Method, Outcome, PageState, Robots, Sighting, Tls
    from snapshots.catalogue import Catalogue
    from snapshots.catalogue_rows import CaptureRow, Naming, PassageRow
    from snapshots.checking import CheckReport, Finding
    from snapshots.deeds import (
        Crawl,
        Crawl2,
        CrawlState,
        Deletion,
        Import,
        ImportClaim,
        ImportMember,
        Removed,
    )
    from snapshots.document import (
        Block,
        Block2,
        Dated,
        Document,
        Document2,
        Extractor,
        Language,
        Link,
        Reading,
        in_pages,
        pages_of,
    )
    from snapshots.ids import digest, is_id, parse_id, parse_prefix
    from snapshots.incoming import Incoming, Refusal, proof_within, refusals
    from snapshots.log import Log, open_log, rotate_log_key
    from snapshots.log_check import LogReport
    from snapshots.log_copy import copy_of_log
    from snapshots.log_key import LogKey, ed25519_holds
    from snapshots.note import parse_vkey
    from snapshots.objects import Held, Objects
    from snapshots.opening import open_store
    from snapshots.passages import Passage, headings_at, passage, passage_of, read_passage, remake
    from snapshots.probing import probe, probe_once
    from snapshots.proof import Proof, parse_proof, verify_proof
    from snapshots.quotes.cited import PageText
    from snapshots.quotes.states import PRESENT, settle
    from snapshots.quotes.verdict import Judgement, Verdict, judge, page_text
    from snapshots.quotes.words import Difference
    from snapshots.recheck import PageVerdict, PassageCheck, Recheck, RecheckEdit
    from snapshots.record import LoggedRecord, Record, UnknownRecord, decimal, nonce
    from snapshots.records import names, read
    from snapshots.removal import Removal, Selection
    from snapshots.session import Agent, Event, Sealed, Session, SessionState, is_claim
    from snapshots.stamp_opinion import second_opinion
    from snapshots.stamps import Post, Token, checked_token, new_request, read_roots
    from snapshots.stamps_kept import Stamps
    from snapshots.state import ApiKey, Claim, Delivery, Lease, State, Webhook
    from snapshots.store import Stat, Store
    from snapshots.times import moment, stamp
    from snapshots.verify.checking import Trust, verify_path
    from snapshots.verify.claims import CLAIMS, Verification
    from snapshots.verify.command import trust_of
    from snapshots.verify.joining import joined_modules, joined_script
    from snapshots.verify.telling import told_as_json, told_in_words
    from snapshots.verify.texts import PageBytes, TextCheck, TextRead
    from snapshots.watch import Hold, Retention, Watch, WatchedSource

_HOMES = (
    (
        "answers",
        (
            "Candidate Fetch KEPT PassageRef ProviderRank ProviderReply Result ScorePart Search SearchState "
            "Serving Serving2"
        ),
    ),
    ("archive", "Archive ProofOf"),
    ("batches", "Batch Kept OrderedLog Progress"),
    ("bundles.collecting", "BundleAsked Collected"),
    ("bundles.evidence", "BundleTokens NoTokens"),
    ("bundles.formats", "FORMATS"),
    ("bundles.quoting", "Quoted quoted"),
    ("bundles.signing", "BundleKey"),
    ("bundles.writing", "Bundle BundleMaker write_bundle"),
    ("canonical", "Json"),
    ("capture", "Capture Charset Hop Method Outcome PageState Robots Sighting Tls"),
    ("catalogue", "Catalogue"),
    ("catalogue_rows", "CaptureRow Naming PassageRow"),
    ("checking", "CheckReport Finding"),
    ("deeds", "Crawl Crawl2 CrawlState Deletion Import ImportClaim ImportMember Removed"),
    ("document", "Block Block2 Dated Document Document2 Extractor Language Link Reading in_pages pages_of"),
    ("incoming", "Incoming Refusal proof_within refusals"),
    ("ids", "digest is_id parse_id parse_prefix"),
    ("log", "Log open_log rotate_log_key"),
    ("log_check", "LogReport"),
    ("log_copy", "copy_of_log"),
    ("log_key", "LogKey ed25519_holds"),
    ("note", "parse_vkey"),
    ("objects", "Held Objects"),
    ("opening", "open_store"),
    ("passages", "Passage headings_at passage passage_of read_passage remake"),
    ("probing", "probe probe_once"),
    ("proof", "Proof parse_proof verify_proof"),
    ("quotes.cited", "PageText"),
    ("quotes.states", "PRESENT settle"),
    ("quotes.verdict", "Judgement Verdict judge page_text"),
    ("quotes.words", "Difference"),
    ("recheck", "PageVerdict PassageCheck Recheck RecheckEdit"),
    ("record", "LoggedRecord Record UnknownRecord decimal nonce"),
    ("records", "names read"),
    ("removal", "Removal Selection"),
    ("session", "Agent Event Sealed Session SessionState is_claim"),
    ("stamp_opinion", "second_opinion"),
    ("stamps", "Post Token checked_token new_request read_roots"),
    ("stamps_kept", "Stamps"),
    ("state", "ApiKey Claim Delivery Lease State Webhook"),
    ("store", "Stat Store"),
    ("times", "moment stamp"),
    ("watch", "Hold Retention Watch WatchedSource"),
    ("verify.checking", "Trust verify_path"),
    ("verify.claims", "CLAIMS Verification"),
    ("verify.command", "trust_of"),
    ("verify.joining", "joined_modules joined_script"),
    ("verify.telling", "told_as_json told_in_words"),
    ("verify.texts", "PageBytes TextCheck TextRead"),
)
"""The lazily loaded names of each module. A name stands here, in the imports above and in `__all__` below."""

_HOME = {name: module for module, names in _HOMES for name in names.split()}

__all__ = [
    "CLAIMS",
    "FORMATS",
    "KEPT",
    "PRESENT",
    "Agent",
    "AmbiguousId",
    "ApiKey",
    "Archive",
    "ArchiveClosed",
    "BadId",
    "BadProof",
    "BadRecord",
    "BadStamp",
    "BadTrust",
    "Batch",
    "Block",
    "Block2",
    "Bundle",
    "BundleAsked",
    "BundleError",
    "BundleKey",
    "BundleMaker",
    "BundleTokens",
    "Candidate",
    "Capture",
    "CaptureRow",
    "Catalogue",
    "CatalogueBusy",
    "CatalogueDamaged",
    "CatalogueError",
    "CatalogueVersion",
    "Charset",
    "CheckReport",
    "Claim",
    "Collected",
    "Conflict",
    "Crawl",
    "Crawl2",
    "CrawlState",
    "DamagedObject",
    "Dated",
    "Deletion",
    "Delivery",
    "Difference",
    "Document",
    "Document2",
    "Event",
    "EvidenceError",
    "Extractor",
    "Fetch",
    "Finding",
    "Held",
    "Hold",
    "Hop",
    "Import",
    "ImportClaim",
    "ImportMember",
    "Incoming",
    "Json",
    "Judgement",
    "Kept",
    "Language",
    "Lease",
    "Link",
    "Log",
    "LogDamaged",
    "LogError",
    "LogKey",
    "LogReadOnly",
    "LogReport",
    "LoggedRecord",
    "LostObject",
    "Method",
    "Missing",
    "Naming",
    "NoConditionalWrites",
    "NoLog",
    "NoTokens",
    "NothingToBundle",
    "Objects",
    "OrderedLog",
    "Outcome",
    "PageBytes",
    "PageState",
    "PageText",
    "PageVerdict",
    "Passage",
    "PassageCheck",
    "PassageRef",
    "PassageRow",
    "Post",
    "Progress",
    "Proof",
    "ProofOf",
    "ProviderRank",
    "ProviderReply",
    "Quoted",
    "Reading",
    "Recheck",
    "RecheckEdit",
    "Record",
    "Refusal",
    "Removal",
    "Removed",
    "RemovedId",
    "Result",
    "Retention",
    "Robots",
    "ScorePart",
    "Sealed",
    "Search",
    "SearchState",
    "Selection",
    "Serving",
    "Serving2",
    "Session",
    "SessionState",
    "Sighting",
    "Stamps",
    "Stat",
    "State",
    "Store",
    "StoreError",
    "StoreFull",
    "StoreRefused",
    "StoreUnreachable",
    "TextCheck",
    "TextRead",
    "Tls",
    "Token",
    "Trust",
    "UnknownAlgorithm",
    "UnknownId",
    "UnknownRecord",
    "Unsound",
    "Verdict",
    "Verification",
    "Watch",
    "WatchedSource",
    "Webhook",
    "WrongLogKey",
    "checked_token",
    "copy_of_log",
    "decimal",
    "digest",
    "ed25519_holds",
    "headings_at",
    "in_pages",
    "is_claim",
    "is_id",
    "joined_modules",
    "joined_script",
    "judge",
    "moment",
    "names",
    "new_request",
    "nonce",
    "open_log",
    "open_store",
    "page_text",
    "pages_of",
    "parse_id",
    "parse_prefix",
    "parse_proof",
    "parse_vkey",
    "passage",
    "passage_of",
    "probe",
    "probe_once",
    "proof_within",
    "quoted",
    "read",
    "read_passage",
    "read_roots",
    "refusals",
    "remake",
    "rotate_log_key",
    "second_opinion",
    "settle",
    "stamp",
    "told_as_json",
    "told_in_words",
    "trust_of",
    "verify_path",
    "verify_proof",
    "write_bundle",
]


def __getattr__(name: str) -> Any:
    """Loads the module that holds `name`."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"snapshots has no {name}")
    value = getattr(import_module(f"snapshots.{home}"), name)
    globals()[name] = value
    return value
