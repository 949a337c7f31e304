"""A time-stamping authority on loopback: real `openssl ts` behind a small HTTP server.

`certs =` stays out of openssl's configuration: it would write the certificates in an order that DER does not allow.
With `unsorted=True` it is put in on purpose, as some public authorities answer like that.
"""

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CONFIG = """
oid_section = oids
[oids]
policy = 1.2.3.4.1
[tsa]
default_tsa = tsa1
[tsa1]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
{certs}
"""


@dataclass
class Authority:
    """An authority of the name `name`, with a root of its own, whose signing certificate is good for `days`."""

    folder: Path
    name: str = "Harbour Time Authority"
    days: int = 3650
    began: timedelta = timedelta(days=1)
    unsorted: bool = False
    usage: bool = True
    spoil: Callable[[bytes], bytes] = lambda answer: answer
    """What becomes of an answer on its way."""
    status: int = 200
    asked: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        now = datetime.now(UTC)
        root_key, self.key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root_name = _name(f"{self.name} Root")
        root = _certificate(root_name, root_name, root_key.public_key(), now - timedelta(days=4000), 20_000)
        self.root = root.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(
            root_key, hashes.SHA256()
        )
        leaf = _certificate(_name(self.name), root_name, self.key.public_key(), now - self.began, self.days)
        if self.usage:
            leaf = leaf.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
        self.certificate = leaf.sign(root_key, hashes.SHA256())
        (self.folder / "serial").write_text("01\n")
        (self.folder / "root.pem").write_bytes(_pem(self.root))
        (self.folder / "tsa.pem").write_bytes(_pem(self.certificate))
        (self.folder / "tsa.key").write_bytes(
            self.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        certs = f"certs = {self.folder}/both.pem" if self.unsorted else ""
        (self.folder / "both.pem").write_bytes(_pem(self.root) + _pem(self.certificate))
        (self.folder / "tsa.cnf").write_text(CONFIG.format(folder=self.folder, certs=certs))

    @property
    def roots(self) -> Path:
        """The file with the root that whoever trusts this authority names."""
        return self.folder / "root.pem"

    def reply(self, query: bytes) -> bytes:
        """What the authority answers to a request."""
        asked, answered = self.folder / "query.tsq", self.folder / "reply.tsr"
        asked.write_bytes(query)
        subprocess.run(
            [
                "openssl",
                "ts",
                "-reply",
                "-config",
                "tsa.cnf",
                "-section",
                "tsa1",
                "-queryfile",
                asked,
                "-out",
                answered,
            ],
            cwd=self.folder,
            check=True,
            capture_output=True,
        )
        return self.spoil(answered.read_bytes())


@contextmanager
def served(authority: Authority) -> Iterator[str]:
    """Serves an authority on loopback; gives its address."""
    turn = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            with turn:
                authority.asked.append(query)
                answer = authority.reply(query) if authority.status == 200 else b"no"
            self.send_response(authority.status)
            if authority.status in {301, 302, 307, 308}:
                self.send_header("Location", f"{self.path}again")
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/tsa"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, begins: datetime, days: int
) -> x509.CertificateBuilder:
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    return (
        made.serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=days))
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
