"""Stand-ins for what lies around a fetcher: names, time, and certificate authorities. Real code, played by script."""

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from crawler import NameNotFound


class ScriptedResolver:
    """Answers look-ups from a script: for each name a list of answers, given one after the other, the last for ever."""

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(script) for name, script in answers.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str) -> Sequence[IPv4Address | IPv6Address]:
        self.asked.append(host)
        script = self._answers.get(host)
        if not script:
            raise NameNotFound(f"the name {host} is not in the script")
        answer = script.pop(0) if len(script) > 1 else script[0]
        return [ip_address(number) for number in answer]


class TurnedClock:
    """A clock that stands still until it is turned; sleeping turns it."""

    def __init__(self) -> None:
        self._now = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)
        self._seconds = 1000.0
        self.slept: list[float] = []

    def now(self) -> dt.datetime:
        return self._now

    def monotonic(self) -> float:
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.turn(seconds)
        await asyncio.sleep(0)

    def turn(self, seconds: float) -> None:
        self._now += dt.timedelta(seconds=seconds)
        self._seconds += seconds


class Authority:
    """A certificate authority of the tests' own. `file` is its certificate (PEM), to be trusted or not."""

    def __init__(self, folder: Path, name: str = "Test root") -> None:
        self._folder = folder
        self._issued = 0
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._sign(name, self.key, [], issuer=None, authority=True)
        self.file = folder / f"{name.replace(' ', '-')}.pem"
        self.file.write_bytes(_pem(self.certificate))

    def server(
        self, *names: str, days: tuple[int, int] = (-1, 30), intermediate: bool = False, alone: bool = False
    ) -> ssl.SSLContext:
        """Make a server's side of TLS for these names, valid from and until so many days from now.

        `intermediate` puts an authority between, whose certificate is sent along; `alone` signs with no authority.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        between = ec.generate_private_key(ec.SECP256R1())
        chain: list[x509.Certificate] = []
        issuer = (self.certificate, self.key)
        if intermediate:
            middle = self._sign("Test intermediate", between, [], issuer=issuer, authority=True)
            chain, issuer = [middle], (middle, between)
        leaf = self._sign(names[0], key, names, issuer=None if alone else issuer, authority=False, days=days)
        return self._context(key, [leaf, *chain])

    def _context(self, key: ec.EllipticCurvePrivateKey, chain: Sequence[x509.Certificate]) -> ssl.SSLContext:
        self._issued += 1
        file = self._folder / f"server-{self._issued}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + b"".join(_pem(certificate) for certificate in chain))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _sign(
        self,
        common_name: str,
        key: ec.EllipticCurvePrivateKey,
        names: Sequence[str],
        *,
        issuer: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None,
        authority: bool,
        days: tuple[int, int] = (-1, 30),
    ) -> x509.Certificate:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        now = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer[0].subject if issuer else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + dt.timedelta(days=days[0]))
            .not_valid_after(now + dt.timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general(name) for name in names]), critical=False
            )
        return builder.sign(issuer[1] if issuer else key, hashes.SHA256())


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
