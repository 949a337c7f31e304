"""The S3 store against servers that are old, full, forbidding, flaky or gone."""

import logging
import random
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from snapshots.errors import (
    Conflict,
    DamagedObject,
    Missing,
    NoConditionalWrites,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreUnreachable,
)
from snapshots.objects import Objects
from snapshots.opening import open_store
from snapshots.probing import probe
from snapshots.s3 import S3
from snapshots.store import Store
from tests.plain_s3 import BEFORE_CHECKSUMS, PlainS3, Rules, plain_s3

if TYPE_CHECKING:
    from tests.seaweed import Seaweed

BODY = b"snapshot bytes \x00\xff\xfe"


@pytest.fixture
def server() -> Iterator[PlainS3]:
    with plain_s3() as server:
        yield server


@pytest.fixture
def store(server: PlainS3) -> Iterator[Store]:
    store = open_store("s3://evidence/some/prefix", **server.options)
    yield store
    store.close()


def impatient(server: PlainS3, **options: Any) -> S3:
    return S3("evidence", read_seconds=0.3, **server.options, **options)


def test_a_server_older_than_checksum_headers_takes_every_write_and_delete(server: PlainS3, store: Store) -> None:
    server.rules = BEFORE_CHECKSUMS

    probe(store)
    ids = Objects(store).put([BODY, b"", random.Random(5).randbytes(300_000)])
    store.put("over", BODY)
    token = store.swap("log/lock", BODY, None)
    store.swap("log/lock", b"next", token)
    read_back = Objects(store).get(ids[0])
    store.delete([stat.name for stat in store.list("")])

    assert read_back == BODY
    assert server.objects == {}


def test_every_body_is_announced_by_its_length_and_nothing_else(server: PlainS3, store: Store) -> None:
    bodies = {"a/1": BODY, "a/2": b"", "a/3": b"x" * 1_000_000}

    store.put_new(bodies)
    store.put("a/1", BODY)
    store.swap("a/4", BODY, None)

    for method, path, headers in server.requests:
        if method == "PUT":
            assert headers["content-length"] == str(len(bodies.get(path.removeprefix("/evidence/some/prefix/"), BODY)))
        unwanted = {"expect", "transfer-encoding", "x-amz-trailer", "x-amz-sdk-checksum-algorithm", "content-encoding"}
        assert not unwanted & headers.keys()
        assert not [name for name in headers if name.startswith("x-amz-checksum")]


def test_a_refusal_of_checksums_names_the_setting_and_nothing_is_reported_as_kept(server: PlainS3) -> None:
    server.rules = BEFORE_CHECKSUMS
    store = open_store("s3://evidence", checksums="when_supported", **server.options)

    for write in (lambda: store.put("a", BODY), lambda: Objects(store).put([BODY, b"other"])):
        with pytest.raises(StoreRefused, match="CITATOR_S3_CHECKSUMS") as refusal:
            write()
        assert refusal.value.setting == "CITATOR_S3_CHECKSUMS"

    assert server.objects == {}
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "kind", "named"),
    [
        ((403, "AccessDenied"), StoreRefused, "CITATOR_S3_ACCESS_KEY"),
        ((403, "SignatureDoesNotMatch"), StoreRefused, "CITATOR_S3_SECRET_KEY"),
        ((403, "SomethingOfItsOwn"), StoreRefused, "CITATOR_S3_ACCESS_KEY"),
        ((404, "NoSuchBucket"), StoreRefused, "CITATOR_BUCKET"),
        ((400, "AuthorizationHeaderMalformed"), StoreRefused, "CITATOR_S3_REGION"),
        ((411, "MissingContentLength"), StoreRefused, "CITATOR_S3_CHECKSUMS"),
        ((501, "NotImplemented"), StoreRefused, "CITATOR_S3_CHECKSUMS"),
        ((400, "html"), StoreRefused, "CITATOR_S3_ENDPOINT"),
        ((418, "Teapot"), StoreRefused, "CITATOR_BUCKET"),
        ((507, "InsufficientStorage"), StoreFull, "no room"),
        ((403, "QuotaExceeded"), StoreFull, "no room"),
    ],
)
def test_each_refusal_has_its_error(
    server: PlainS3, store: Store, answer: tuple[int, str], kind: type[StoreError], named: str
) -> None:
    server.rules = Rules(everything=answer)
    calls: list[Callable[[], object]] = [
        lambda: store.put_new({"a": BODY}),
        lambda: store.put_new({"a": BODY, "b": BODY}),
        lambda: store.put("a", BODY),
        lambda: store.swap("a", BODY, None),
        lambda: store.get("a"),
        lambda: list(store.list("")),
    ]

    for call in calls:
        with pytest.raises(kind, match=named):
            call()


def test_a_server_that_knows_no_conditions_is_named(server: PlainS3, store: Store) -> None:
    server.rules = Rules(headers=(("if-none-match", "*", 501, "NotImplemented"),))

    with pytest.raises(NoConditionalWrites):
        probe(store)

    assert server.objects == {}


def test_missing_keys_make_no_bucket(tmp_path: object) -> None:
    for where in ("s3://", "s3://no such bucket!", "ftp://elsewhere/x"):
        with pytest.raises(StoreRefused, match="CITATOR_BUCKET"):
            open_store(where, endpoint="http://127.0.0.1:1", access_key="a", secret_key="b").get("x")
    with pytest.raises(StoreRefused, match="CITATOR_S3_ENDPOINT"):
        open_store("s3://evidence", endpoint="127.0.0.1:1")


@pytest.mark.slow
def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{held.getsockname()[1]}"
        store = open_store("s3://evidence", endpoint=endpoint, access_key="a", secret_key="b")

        with pytest.raises(StoreUnreachable, match="CITATOR_S3_ENDPOINT"):
            store.put_new({"a": BODY})

    store.close()


@pytest.mark.slow
def test_a_server_that_says_nothing_is_unreachable(server: PlainS3) -> None:
    server.every_request = "hang"
    store = impatient(server)

    with pytest.raises(StoreUnreachable):
        store.get("a")

    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["503", "500", "lost request", "lost reply", "cut body"])
def test_a_passing_fault_is_outlasted(server: PlainS3, store: Store, fault: Any) -> None:
    server.faults = [fault, fault]
    store.put("a", BODY)
    server.faults = [fault, fault]

    read_back = store.get("a")

    assert read_back == BODY


def test_a_new_object_whose_reply_was_lost_is_kept_once(server: PlainS3, store: Store) -> None:
    server.faults = ["lost reply"]

    (object_id,) = Objects(store).put([BODY])

    assert Objects(store).get(object_id) == BODY
    assert len(server.objects) == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["lost reply", "lost request", "hang", "500", "409"])
def test_a_swap_whose_outcome_was_not_told_is_settled_by_reading_back(server: PlainS3, fault: Any) -> None:
    store = impatient(server)
    first = store.swap("log/lock", b"1", None)
    server.faults = [fault]

    second = store.swap("log/lock", b"2", first)

    assert store.read("log/lock") == (b"2", second)
    with pytest.raises(Conflict):
        store.swap("log/lock", b"3", first)
    store.close()


def test_a_swap_that_was_lost_on_the_way_and_overtaken_is_a_conflict(server: PlainS3, store: Store) -> None:
    first = store.swap("log/lock", b"1", None)
    original = server.faults
    overtaking = _Overtaking(server, "evidence/some/prefix/log/lock")
    server.faults = overtaking

    with pytest.raises(Conflict):
        store.swap("log/lock", b"2", first)

    server.faults = original
    assert store.read("log/lock")[0] == b"somebody else's"


class _Overtaking(list[Any]):
    """Loses one request, and lets another writer in while it is on its way."""

    def __init__(self, server: PlainS3, key: str) -> None:
        super().__init__(["lost request"])
        self._server = server
        self._key = key.removeprefix("evidence/")

    def pop(self, index: Any = -1) -> Any:
        self._server.objects[self._key] = (b"somebody else's", "another mark")
        return super().pop(index)


def test_equal_bytes_of_two_writers_are_still_two_writers(store: Store) -> None:
    store.swap("log/lock", BODY, None)

    with pytest.raises(Conflict):
        store.swap("log/lock", BODY, None)


@pytest.mark.slow
def test_a_swap_that_is_never_answered_says_so(server: PlainS3) -> None:
    server.every_request = "lost request"
    store = impatient(server)

    with pytest.raises(StoreUnreachable):
        store.swap("log/lock", BODY, None)

    store.close()


def test_one_failing_object_of_a_batch_fails_the_batch(server: PlainS3, store: Store) -> None:
    server.rules = Rules(headers=(("content-length", "3", 507, "InsufficientStorage"),))

    with pytest.raises(StoreFull):
        store.put_new({f"a/{n}": b"x" * n for n in range(6)})

    with pytest.raises(Missing):
        store.get("a/3")


def test_buckets_are_addressed_by_path_or_by_host_name() -> None:
    def address(**options: Any) -> str:
        store = S3("evidence", access_key="a", secret_key="b", **options)
        signed = store._client.generate_presigned_url("get_object", Params={"Bucket": "evidence", "Key": "k"})
        store.close()
        return str(signed).partition("?")[0]

    assert address(endpoint="http://s3.example:9000") == "http://s3.example:9000/evidence/k"
    assert address(endpoint="http://s3.example:9000", addressing="virtual") == "http://evidence.s3.example:9000/k"
    assert address(endpoint="https://s3.example", addressing="path") == "https://s3.example/evidence/k"
    assert address(region="eu-central-1").startswith("https://evidence.s3.")


def test_no_secret_is_said_or_logged(server: PlainS3, caplog: pytest.LogCaptureFixture) -> None:
    server.rules = Rules(everything=(403, "InvalidAccessKeyId"))
    store = open_store("s3://evidence", endpoint=server.endpoint, access_key="who", secret_key="hush-hush")

    with caplog.at_level(logging.INFO), pytest.raises(StoreRefused) as refusal:
        store.put("a", BODY)

    assert "hush-hush" not in f"{refusal.value}{caplog.text}"
    store.close()


def test_a_real_server_passes_the_probe_and_keeps_objects_at_rest_as_a_directory_does(
    s3_server: "Seaweed", tmp_path: Path
) -> None:
    blobs = [BODY, b"text " * 10_000, random.Random(6).randbytes(200_000), b""]
    bucket, directory = open_store(f"s3://{s3_server.bucket}/real", **s3_server.options), open_store(tmp_path)

    probe(bucket)
    ids = Objects(bucket).put(blobs)
    Objects(directory).put(blobs)

    assert [Objects(bucket).get(object_id) for object_id in ids] == blobs
    assert list(bucket.list("")) == list(directory.list(""))
    assert [bucket.get(stat.name) for stat in bucket.list("")] == [
        directory.get(stat.name) for stat in directory.list("")
    ]
    assert Objects(bucket).find(ids[1][:20]) == [ids[1]]


def test_a_damaged_object_on_a_real_server_is_mended_when_it_is_seen_again(s3_server: "Seaweed") -> None:
    store = open_store(f"s3://{s3_server.bucket}/damage", **s3_server.options)
    (object_id,) = Objects(store).put([BODY])
    (stat,) = store.list("")
    store.put(stat.name, b"damaged")

    with pytest.raises(DamagedObject):
        Objects(store).get(object_id)
    Objects(store).put([BODY])

    assert Objects(store).get(object_id) == BODY


@pytest.mark.slow
def test_a_long_listing_is_whole_and_sorted(s3_server: "Seaweed") -> None:
    store = open_store(f"s3://{s3_server.bucket}/long", **s3_server.options)
    names = [f"objects/{n % 3}/{n:05}" for n in range(1100)] + [f"flat-{n:04}" for n in range(1010)]
    store.put_new(dict.fromkeys(names, b"x"))

    assert [stat.name for stat in store.list("")] == sorted(names)
