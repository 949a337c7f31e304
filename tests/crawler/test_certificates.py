import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography import x509

from tests.crawler.fetching import fetcher
from tests.network import Authority, ScriptedResolver
from tests.sites import Route, Site

Sites = Callable[..., Site]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def subjects(chain: tuple[bytes, ...]) -> list[str]:
    return [x509.load_der_x509_certificate(der).subject.rfc4514_string() for der in chain]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("intermediate", [False, True])
async def test_the_chain_of_the_very_connection_is_on_record(
    site: Sites,
    authority: Authority,
    version: ssl.TLSVersion,
    intermediate: bool,  # noqa: FBT001 - a table
) -> None:
    context = authority.server("page.test", intermediate=intermediate)
    context.minimum_version = context.maximum_version = version
    place = site(Route("/", body="<p>hello</p>" * 20_000), tls=context)
    names = ScriptedResolver({"page.test": [["127.0.0.1"]]})

    async with fetcher(resolver=names, certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(place.url("/", "page.test"))
        again = await web.fetch(place.url("/", "page.test"))

    tls = visit.hops[0].tls
    assert visit.outcome == "ok"
    assert len(visit.body or b"") == 240_000
    assert tls is not None
    assert (tls.protocol, tls.verified, tls.error) == (version.name.replace("_", "."), True, None)
    assert tls.cipher
    assert subjects(tls.chain) == ["CN=page.test", "CN=Test intermediate"][: 2 if intermediate else 1]
    assert again.hops[0].tls == tls
    assert place.connections == 1


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("expired", "expired"),
        ("not yet", "not yet valid"),
        ("other name", "page.test"),
        ("alone", "self-signed"),
        ("unknown authority", "unable to get local issuer"),
    ],
)
async def test_a_certificate_that_does_not_hold_is_refused_recorded_and_told_why(
    site: Sites, authority: Authority, tmp_path: Path, version: ssl.TLSVersion, fault: str, said: str
) -> None:
    context = {
        "expired": lambda: authority.server("page.test", days=(-30, -1)),
        "not yet": lambda: authority.server("page.test", days=(1, 30)),
        "other name": lambda: authority.server("other.test"),
        "alone": lambda: authority.server("page.test", alone=True),
        "unknown authority": lambda: Authority(tmp_path, "Unknown root").server("page.test"),
    }[fault]()
    context.minimum_version = context.maximum_version = version
    place = site(Route("/", body="secret"), tls=context)
    names = ScriptedResolver({"page.test": [["127.0.0.1"]]})

    async with fetcher(resolver=names, certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(place.url("/", "page.test"), robots="ignore")

    tls = visit.hops[0].tls
    assert (visit.outcome, visit.reason, visit.body) == ("error", "tls_certificate", None)
    assert tls is not None
    assert (tls.verified, len(tls.chain)) == (False, 1)
    assert said in str(tls.error)
    assert said in str(visit.detail)
    assert visit.hops[0].remote == f"127.0.0.1:{place.port}"
    assert place.requests == []


async def test_a_certificate_for_a_number_holds_for_that_number(site: Sites, authority: Authority) -> None:
    good = site(Route("/", body="in"), tls=authority.server("127.0.0.1"))
    bad = site(Route("/", body="in"), tls=authority.server("127.0.0.9"))

    async with fetcher(certificate_authorities=(str(authority.file),)) as web:
        visits = [await web.fetch(place.url(), robots="ignore") for place in (good, bad)]

    assert [visit.reason for visit in visits] == [None, "tls_certificate"]


async def test_what_speaks_no_tls_is_told_as_such(site: Sites) -> None:
    place = site(greeting=b"220 mail.test ESMTP\r\n")

    async with fetcher() as web:
        visit = await web.fetch(f"https://127.0.0.1:{place.port}/", robots="ignore")

    assert (visit.outcome, visit.reason) == ("error", "tls_failed")
    assert visit.hops[0].tls is not None
    assert visit.hops[0].tls.chain == ()


async def test_a_server_that_begins_encryption_byte_by_byte_is_given_up_in_time() -> None:
    gone = asyncio.Event()

    async def drip(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            for byte in bytes.fromhex("1603034000") + bytes(0x4000):  # the head of a record, and what it announces
                writer.write(bytes((byte,)))
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        gone.set()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server, fetcher(connect_timeout=1.0) as web:
        port = server.sockets[0].getsockname()[1]
        visit = await web.fetch(f"https://127.0.0.1:{port}/", robots="ignore", deadline=300.0)
        await gone.wait()

    assert (visit.outcome, visit.reason) == ("timeout", "connect_timeout")


async def test_a_plain_page_may_lead_to_an_encrypted_one_and_each_hop_keeps_its_own_facts(
    site: Sites, authority: Authority
) -> None:
    secure = site(Route("/", body="secure"), tls=authority.server("127.0.0.1"))
    start = site(Route("/", 301, (("Location", secure.url()),)))

    async with fetcher(certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(start.url())

    assert visit.body == b"secure"
    assert [hop.tls is not None for hop in visit.hops] == [False, True]


async def test_a_body_ended_by_a_bare_close_may_have_been_cut(site: Sites, authority: Authority) -> None:
    place = site(
        Route("/close", body="part of a page", framing="close", then="reset"),
        Route("/goodbye", body="whole page", framing="close"),
        Route("/length", body="whole page"),
        tls=authority.server("127.0.0.1"),
    )

    async with fetcher(certificate_authorities=(str(authority.file),)) as web:
        cut = await web.fetch(place.url("/close"))
        whole = [await web.fetch(place.url(path)) for path in ("/goodbye", "/length")]

    assert (cut.outcome, cut.reason) == ("incomplete", "cut_short")
    assert [(visit.outcome, visit.body) for visit in whole] == [("ok", b"whole page")] * 2
    assert whole[1].warnings == (), "a connection whose end was read is not used again"


def test_a_file_without_authorities_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")

    with pytest.raises(OSError, match="NO_CERTIFICATE"):
        fetcher(certificate_authorities=(str(tmp_path / "empty.pem"),))


async def test_a_server_that_wants_to_know_who_asks_is_told_as_that(site: Sites, authority: Authority) -> None:
    context = authority.server("127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.file)
    place = site(Route("/", body="hello"), tls=context)

    async with fetcher(certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(place.url("/"), robots="ignore")

    assert (visit.outcome, visit.reason) == ("error", "tls_failed")
    assert "CERTIFICATE_REQUIRED" in (visit.detail or "")
