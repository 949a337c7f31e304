"""A bucket on an S3-compatible server.

Bodies are whole bytes, so each has a Content-Length; checksum headers beyond the signature are sent only where S3
requires them, and deletes go one by one, because many servers know neither. The digest of each object is its name.
"""

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError
from botocore.handlers import add_expect_header

from snapshots.errors import Conflict, Missing, StoreRefused
from snapshots.s3_errors import ENDPOINT, FOREIGN, Problem, code_of, explained, passing, status_of
from snapshots.store import Addressing, Checksums, Stat, checked, well_named

WORKERS = 32
"""Requests under way at once for one batch; more gain nothing, since botocore spends 2 ms of CPU on each."""

CONNECT_SECONDS = 5.0
READ_SECONDS = 20.0
"""Silence on one connection after which a request counts as lost."""

ATTEMPTS = 5
FIRST_PAUSE = 0.1
"""Seconds before the second attempt; each further pause is three times as long, all with jitter: 4 s together."""

PATIENCE = 30.0
"""Seconds after which no further attempt is begun: whoever waits for an answer is told."""

MARK = "swap"
"""User metadata that tells after a lost reply whether the value that stands there is ours."""

_NOT_FOUND = 404
_PRECONDITION_FAILED = 412

T = TypeVar("T")


class S3:
    """The contract of `Store` in an S3 bucket, below `prefix`. Opening it asks the server nothing."""

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        *,
        endpoint: str | None = None,
        region: str = "us-east-1",
        access_key: str | None = None,
        secret_key: str | None = None,
        addressing: Addressing = "auto",
        checksums: Checksums = "when_required",
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        # Nearly every server but Amazon's takes paths, and few have a DNS name for each bucket.
        style = "path" if addressing == "auto" and endpoint else addressing
        config = Config(
            s3={"addressing_style": style},
            request_checksum_calculation=checksums,
            response_checksum_validation=checksums,
            connect_timeout=CONNECT_SECONDS,
            read_timeout=read_seconds,
            retries={"total_max_attempts": 1, "mode": "standard"},  # ours know what a conditional write means
            max_pool_connections=2 * WORKERS,
        )
        try:
            self._client = boto3.session.Session().client(
                "s3",
                endpoint_url=endpoint,
                region_name=region,
                aws_access_key_id=access_key,
                aws_secret_access_key=secret_key,
                config=config,
            )
        except (ValueError, BotoCoreError) as problem:
            raise StoreRefused(f"the S3 server cannot be used: {problem}", setting=ENDPOINT) from problem
        # botocore would ask before each body whether it may be sent, and wait a second for servers that never say.
        self._client.meta.events.unregister("before-call.s3", add_expect_header)
        self._guard = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def put_new(self, objects: Mapping[str, bytes]) -> frozenset[str]:
        """See `Store`."""
        keys = {name: self._key(checked(name)) for name in objects}

        def put(name: str) -> bool:
            try:
                self._ask("put_object", Key=keys[name], Body=objects[name], IfNoneMatch="*")
            except Conflict:
                return False
            return True

        return frozenset(name for name, new in zip(objects, self._each(put, objects), strict=True) if not new)

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """See `Store`; here it is always durable."""
        del durable
        self._ask("put_object", Key=self._key(checked(name)), Body=data)

    def get(self, name: str) -> bytes:
        """See `Store`."""
        return self.read(name)[0]

    def exists(self, names: Iterable[str]) -> frozenset[str]:
        """See `Store`."""
        return frozenset(self.sizes(names))

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        """See `Store`."""
        wanted = sorted({name for name in names if well_named(name)})

        def size(name: str) -> int | None:
            try:
                return int(self._ask("head_object", Key=self._key(name))["ContentLength"])
            except Missing:
                return None

        found = zip(wanted, self._each(size, wanted), strict=True)
        return {name: length for name, length in found if length is not None}

    def read(self, name: str) -> tuple[bytes, str]:
        """See `Store`. The token is the ETag."""
        if not well_named(name):
            raise Missing(name)
        reply = self._ask("get_object", Key=self._key(name))
        return reply["Body"], reply["ETag"]

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        """See `Store`.

        If the reply to a write is lost, what stands there decides: each value carries a mark of its own, and a write
        that is still under way can no longer take effect once the version is another.
        """
        key = self._key(checked(name))
        if after:
            self.put_new(after)
        condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": expected}
        mark = secrets.token_hex(16)
        doubtful = False
        pauses = _pauses()
        while True:
            try:
                reply = self._once("put_object", Key=key, Body=data, Metadata={MARK: mark}, **condition)
            except FOREIGN as problem:
                lost = _lost(problem) or (expected is not None and status_of(problem) == _NOT_FOUND)
                if not lost and not passing(problem):
                    raise explained(problem, self._bucket) from problem
                if lost and not doubtful:
                    raise Conflict(name) from problem
                doubtful = True
                token, found = self._standing(key)
                if token is not None and found == mark:
                    return token
                if lost or token != expected:
                    raise Conflict(name) from problem
                if (pause := next(pauses, None)) is None:
                    raise explained(problem, self._bucket) from problem
                time.sleep(pause)
            else:
                return str(reply["ETag"])

    def list(self, prefix: str) -> Iterator[Stat]:
        """See `Store`. Folder by folder, each sorted here: not every server lists names in their order."""
        found: dict[str, int | None] = {}
        asked: dict[str, Any] = {"Prefix": self._key(prefix), "Delimiter": "/"}
        while True:
            reply = self._ask("list_objects_v2", **asked)
            found |= {entry["Prefix"]: None for entry in reply.get("CommonPrefixes", ())}
            found |= {entry["Key"]: int(entry["Size"]) for entry in reply.get("Contents", ())}
            if not reply.get("IsTruncated"):
                break
            asked["ContinuationToken"] = reply["NextContinuationToken"]
        for key, size in sorted(found.items()):
            name = key.removeprefix(self._prefix)
            if size is None:
                if name != prefix:
                    yield from self.list(name)
            elif well_named(name):  # folder markers and other things that someone put there are not ours
                yield Stat(name, size)

    def delete(self, names: Iterable[str]) -> None:
        """See `Store`."""

        def delete(name: str) -> None:
            try:
                self._ask("delete_object", Key=self._key(name))
            except Missing:
                return

        self._each(delete, [name for name in names if well_named(name)])

    def sync(self) -> None:
        """See `Store`; here all is durable already."""

    def close(self) -> None:
        """See `Store`."""
        with self._guard:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        self._client.close()

    def _key(self, name: str) -> str:
        return self._prefix + name

    def _each(self, call: Callable[[str], T], names: Iterable[str]) -> Iterable[T]:
        """Calls for each name, many at once; the first error is raised when all have ended."""
        todo = [*names]
        if len(todo) <= 1:
            return [call(name) for name in todo]
        with self._guard:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="s3")
            futures = [self._pool.submit(call, name) for name in todo]
        problems = [problem for future in futures if (problem := future.exception()) is not None]
        if problems:
            raise problems[0]
        return [future.result() for future in futures]

    def _ask(self, operation: str, **asked: Any) -> dict[str, Any]:
        """One call, again after a pause if that can help; safe because writing the same bytes twice changes nothing."""
        pauses = _pauses()
        while True:
            try:
                return self._once(operation, **asked)
            except FOREIGN as problem:
                name = str(asked.get("Key", "")).removeprefix(self._prefix)
                if _lost(problem):
                    raise Conflict(name) from problem
                if status_of(problem) == _NOT_FOUND and code_of(problem) in {"NoSuchKey", "404", "NotFound"}:
                    raise Missing(name) from problem
                if not passing(problem) or (pause := next(pauses, None)) is None:
                    raise explained(problem, self._bucket) from problem
                time.sleep(pause)

    def _once(self, operation: str, **asked: Any) -> dict[str, Any]:
        reply: dict[str, Any] = getattr(self._client, operation)(Bucket=self._bucket, **asked)
        if operation == "get_object":
            with closing(reply["Body"]) as body:
                reply["Body"] = body.read()  # it is part of the call: it can be cut off as well
        return reply

    def _standing(self, key: str) -> tuple[str | None, str | None]:
        """The token and the mark of what stands under `key`; None and None for nothing."""
        try:
            reply = self._ask("head_object", Key=key)
        except Missing:
            return None, None
        return str(reply["ETag"]), reply.get("Metadata", {}).get(MARK)


def _lost(problem: Problem) -> bool:
    return status_of(problem) == _PRECONDITION_FAILED or code_of(problem) == "PreconditionFailed"


def _pauses() -> Iterator[float]:
    """Seconds to wait before each further attempt."""
    end = time.monotonic() + PATIENCE
    pause = FIRST_PAUSE
    for _ in range(ATTEMPTS - 1):
        if time.monotonic() > end:
            return
        yield pause * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret
        pause *= 3
