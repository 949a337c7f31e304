"""State: API keys, leases, the pace of hosts and idempotency keys. Kept and backed up; nothing else can make it again.

Times that come in and go out are stamps (RFC 3339, UTC, milliseconds).
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from snapshots.database import TIMEOUT, Database, Schema
from snapshots.ids import from_raw, to_raw

METADATA: Final = MetaData()

api_keys = Table(
    "api_keys",
    METADATA,
    Column("id", String, primary_key=True),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("created_at", String, nullable=False),
    Column("revoked_at", String),
    Column("last_used", String),
    Column("rate", Integer),
    Column("concurrency", Integer),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", String, primary_key=True),
    Column("owner", String),
    Column("until", String, nullable=False),
    Column("turn", Integer, nullable=False),
)

requests = Table(
    "requests",
    METADATA,
    Column("caller", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("request", LargeBinary, nullable=False),
    Column("reply", LargeBinary),
    Column("until", String, nullable=False),
)

webhooks = Table(
    "webhooks",
    METADATA,
    Column("watch", String, primary_key=True),
    Column("address", Text, nullable=False),
    Column("secret", Text, nullable=False),
)

deliveries = Table(
    "deliveries",
    METADATA,
    Column("watch", String, primary_key=True),
    Column("alarm", String, primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("at", String, nullable=False),
    Column("detail", Text),
)

hosts = Table(
    "hosts",
    METADATA,
    Column("host", String, primary_key=True),
    Column("next_start", BigInteger, nullable=False),
    Column("held_until", BigInteger, nullable=False),
)

IDLE_HOST: Final = 86_400_000
"""Milliseconds after which the pace of a host is forgotten: nobody is kept away for so long."""

SCHEMA: Final = Schema(name="state", metadata=METADATA, head="state_4", lock=4_801_153_002, durable=True)


@dataclass(frozen=True)
class ApiKey:
    """A key by its id; the key itself is kept nowhere, only its SHA-256."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: str
    revoked_at: str | None = None
    last_used: str | None = None
    rate: int | None = None
    """Requests a minute; None: what the settings say."""
    concurrency: int | None = None
    """Requests at a time; None: what the settings say."""


@dataclass(frozen=True)
class Webhook:
    """Where the alarms of a watch go, and the secret that signs them."""

    watch: str
    address: str
    secret: str


@dataclass(frozen=True)
class Delivery:
    """An alarm on its way. `at` is when it is tried next while it waits, and when it was tried last afterwards."""

    watch: str
    alarm: str
    attempts: int
    state: Literal["waiting", "delivered", "given_up"]
    at: str
    detail: str | None = None


@dataclass(frozen=True)
class Lease:
    """The right of one owner to do something until a time. `turn` grows by one with each new owner.

    `lapsed`: the one before let it run out instead of giving it back, and may have been cut off in the middle.
    """

    name: str
    owner: str
    until: str
    turn: int
    lapsed: bool = False


@dataclass(frozen=True)
class Claim:
    """What an idempotency key stands for.

    `new`: the caller goes on, and then calls `settle` or `abandon`. `running`: another call is at it. `done`: `reply`
    is the id of the serving record that was given. `other`: the key was used for a different request.
    """

    state: Literal["new", "running", "done", "other"]
    reply: str | None = None


class State:
    """The state database. Thread-safe; several processes may use the same one.

    Every call may raise CatalogueBusy, StoreFull or another CatalogueError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, url: str, *, timeout: float = TIMEOUT) -> Self:
        """Opens or makes the state database at a SQLAlchemy address. Raises CatalogueVersion for another version's."""
        return cls(Database(url, SCHEMA, timeout=timeout))

    # API keys

    def add_key(self, key: ApiKey, digest: str) -> None:
        """Keeps a new key; `digest` is the id (SHA-256) of the key's bytes."""
        with self._database.write() as connection:
            connection.execute(
                insert(api_keys).values(
                    id=key.id,
                    name=key.name,
                    scopes=json.dumps(key.scopes),
                    digest=to_raw(digest),
                    created_at=key.created_at,
                    revoked_at=key.revoked_at,
                    last_used=key.last_used,
                    rate=key.rate,
                    concurrency=key.concurrency,
                )
            )

    def key_of(self, digest: str) -> ApiKey | None:
        """The key with this SHA-256, revoked ones included."""
        with self._database.read() as connection:
            row = connection.execute(select(api_keys).where(api_keys.c.digest == to_raw(digest))).one_or_none()
        return None if row is None else _key(row)

    def list_keys(self) -> list[ApiKey]:
        """All keys, oldest first, revoked ones included."""
        with self._database.read() as connection:
            rows = connection.execute(select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)).all()
        return [_key(row) for row in rows]

    def revoke_key(self, key_id: str, at: str) -> ApiKey | None:
        """Revokes a key; one revoked before keeps its time. None if there is no such key."""
        with self._database.write() as connection:
            connection.execute(
                update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None)).values(revoked_at=at)
            )
            row = connection.execute(select(api_keys).where(api_keys.c.id == key_id)).one_or_none()
        return None if row is None else _key(row)

    def used_keys(self, used: dict[str, str]) -> None:
        """Notes when keys (by id) were last used. Callers gather uses: a write per request would cost more than it."""
        if not used:
            return
        with self._database.write() as connection:
            for key_id, at in used.items():
                newer = (api_keys.c.last_used.is_(None)) | (api_keys.c.last_used < at)
                connection.execute(update(api_keys).where(api_keys.c.id == key_id, newer).values(last_used=at))

    # leases

    def take_lease(self, name: str, owner: str, *, now: str, until: str) -> Lease | None:
        """Takes or prolongs a lease; None while another owner holds it."""
        with self._database.write() as connection:
            row = connection.execute(select(leases).where(leases.c.name == name)).one_or_none()
            if row is None:
                connection.execute(insert(leases).values(name=name, owner=owner, until=until, turn=1))
                return Lease(name, owner, until, 1)
            if row.owner not in {None, owner} and row.until > now:
                return None
            turn = row.turn if row.owner == owner else row.turn + 1
            connection.execute(update(leases).where(leases.c.name == name).values(owner=owner, until=until, turn=turn))
        return Lease(name, owner, until, turn, lapsed=row.owner not in {None, owner})

    def release_lease(self, lease: Lease) -> bool:
        """Gives a lease back; False if it was somebody else's by now."""
        with self._database.write() as connection:
            mine = (leases.c.name == lease.name) & (leases.c.owner == lease.owner) & (leases.c.turn == lease.turn)
            return connection.execute(update(leases).where(mine).values(owner=None)).rowcount == 1

    def lease(self, name: str, *, now: str) -> Lease | None:
        """Who holds a lease now."""
        with self._database.read() as connection:
            row = connection.execute(select(leases).where(leases.c.name == name)).one_or_none()
        if row is None or row.owner is None or row.until <= now:
            return None
        return Lease(row.name, row.owner, row.until, row.turn)

    def lapsed_leases(self, prefix: str, *, now: str) -> list[Lease]:
        """Leases with names that begin so, which ran out and were not given back."""
        query = select(leases).where(leases.c.name.startswith(prefix, autoescape=True), leases.c.owner.is_not(None))
        with self._database.read() as connection:
            rows = connection.execute(query.where(leases.c.until <= now).order_by(leases.c.until)).all()
        return [Lease(row.name, row.owner, row.until, row.turn, lapsed=True) for row in rows]

    # hosts

    def take_turn(self, host: str, *, now: int, gap: int, patience: int) -> tuple[int, bool]:
        """Takes the next turn to ask a host: milliseconds until it begins, and whether it was taken.

        `gap` later the next one may begin. No turn is taken if the host is to be left alone for longer than `patience`.
        """
        with self._database.write() as connection:
            row = connection.execute(select(hosts).where(hosts.c.host == host)).one_or_none()
            if row is None:
                connection.execute(delete(hosts).where(hosts.c.next_start < now - IDLE_HOST))
                connection.execute(insert(hosts).values(host=host, next_start=now + gap, held_until=0))
                return 0, True
            if row.held_until - now > patience:
                return row.held_until - now, False
            start = max(now, row.next_start, row.held_until)
            connection.execute(update(hosts).where(hosts.c.host == host).values(next_start=start + gap))
        return start - now, True

    def hold_host(self, host: str, *, until: int) -> None:
        """Leaves a host alone until a time (milliseconds since 1970), or longer if somebody said so before."""
        with self._database.write() as connection:
            row = connection.execute(select(hosts).where(hosts.c.host == host)).one_or_none()
            if row is None:
                connection.execute(insert(hosts).values(host=host, next_start=0, held_until=until))
            elif row.held_until < until:
                connection.execute(update(hosts).where(hosts.c.host == host).values(held_until=until))

    # webhooks

    def add_webhook(self, hook: Webhook) -> None:
        """Keeps where the alarms of a watch go."""
        with self._database.write() as connection:
            connection.execute(insert(webhooks).values(watch=hook.watch, address=hook.address, secret=hook.secret))

    def webhook_of(self, watch: str) -> Webhook | None:
        """Where the alarms of a watch go; None if nowhere, or if it was lost."""
        with self._database.read() as connection:
            row = connection.execute(select(webhooks).where(webhooks.c.watch == watch)).one_or_none()
        return None if row is None else Webhook(row.watch, row.address, row.secret)

    def forget_webhook(self, watch: str) -> None:
        """Sends no more alarms of a watch, and forgets those that were sent."""
        with self._database.write() as connection:
            connection.execute(delete(webhooks).where(webhooks.c.watch == watch))
            connection.execute(delete(deliveries).where(deliveries.c.watch == watch))

    def deliveries(self, watch: str) -> list[Delivery]:
        """What was sent of a watch, and what waits to be."""
        with self._database.read() as connection:
            rows = connection.execute(select(deliveries).where(deliveries.c.watch == watch)).all()
        return [_delivery(row) for row in rows]

    def waiting_deliveries(self, now: str, limit: int) -> list[Delivery]:
        """What is to be sent by now, the oldest first."""
        query = select(deliveries).where(deliveries.c.state == "waiting", deliveries.c.at <= now)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(deliveries.c.at, deliveries.c.alarm).limit(limit)).all()
        return [_delivery(row) for row in rows]

    def note_delivery(self, delivery: Delivery) -> None:
        """Keeps how it stands with a delivery."""
        this = (deliveries.c.watch == delivery.watch) & (deliveries.c.alarm == delivery.alarm)
        told = {"attempts": delivery.attempts, "state": delivery.state, "at": delivery.at, "detail": delivery.detail}
        with self._database.write() as connection:
            if connection.execute(update(deliveries).where(this).values(**told)).rowcount == 0:
                connection.execute(insert(deliveries).values(watch=delivery.watch, alarm=delivery.alarm, **told))

    # idempotency keys

    def claim(self, caller: str, key: str, request: str, *, now: str, until: str) -> Claim:
        """Claims an idempotency key for a request (the id of its bytes); what is known about it stays until `until`."""
        with self._database.write() as connection:
            connection.execute(delete(requests).where(requests.c.until <= now))
            row = connection.execute(select(requests).where(_this(caller, key))).one_or_none()
            if row is None:
                connection.execute(
                    insert(requests).values(caller=caller, key=key, request=to_raw(request), until=until)
                )
                return Claim("new")
        if row.request != to_raw(request):
            return Claim("other")
        return Claim("running") if row.reply is None else Claim("done", from_raw(row.reply))

    def settle(self, caller: str, key: str, reply: str) -> None:
        """Notes the serving record that answered a claimed request."""
        with self._database.write() as connection:
            connection.execute(update(requests).where(_this(caller, key)).values(reply=to_raw(reply)))

    def abandon(self, caller: str, key: str) -> None:
        """Frees a claimed key whose request was not answered, so that it can be tried again."""
        with self._database.write() as connection:
            connection.execute(delete(requests).where(_this(caller, key), requests.c.reply.is_(None)))

    def backup_to(self, path: Path) -> None:
        """Writes a whole copy to the new file `path` while others go on writing (SQLite only)."""
        self._database.backup_to(path)

    def close(self) -> None:
        """Gives back the connections."""
        self._database.close()


def _this(caller: str, key: str) -> Any:
    return (requests.c.caller == caller) & (requests.c.key == key)


def _delivery(row: Any) -> Delivery:
    return Delivery(row.watch, row.alarm, row.attempts, row.state, row.at, row.detail)


def _key(row: Any) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        scopes=tuple(json.loads(row.scopes)),
        created_at=row.created_at,
        revoked_at=row.revoked_at,
        last_used=row.last_used,
        rate=row.rate,
        concurrency=row.concurrency,
    )
