"""Opening a bucket by its address, whatever kind it is."""

from pathlib import Path

from snapshots.errors import StoreRefused
from snapshots.files import Files
from snapshots.store import Addressing, Checksums, Store

SETTING = "CITATOR_BUCKET"


def open_store(
    where: str | Path,
    *,
    endpoint: str | None = None,
    region: str = "us-east-1",
    access_key: str | None = None,
    secret_key: str | None = None,
    addressing: Addressing = "auto",
    checksums: Checksums = "when_required",
    files: Files | None = None,
) -> Store:
    """Opens the bucket at `where`: `s3://bucket/prefix`, or a directory, which is made if it is not there.

    The options from `endpoint` to `checksums` are for S3 alone; without keys botocore looks where it usually does.
    `files` replaces the operations on files below a directory. Raises `StoreRefused` for an address of another kind,
    and for one without a bucket.
    """
    text = str(where)
    if text.startswith("s3://"):
        from snapshots.s3 import S3  # noqa: PLC0415 - boto3 costs 0.3 s and is not for those who use a directory

        bucket, _, prefix = text.removeprefix("s3://").partition("/")
        if not bucket:
            raise StoreRefused(f"{text} names no bucket; s3://bucket/prefix is what is expected", setting=SETTING)
        return S3(
            bucket,
            prefix.strip("/"),
            endpoint=endpoint,
            region=region,
            access_key=access_key,
            secret_key=secret_key,
            addressing=addressing,
            checksums=checksums,
        )
    if "://" in text:
        raise StoreRefused(f"{text} is neither a directory nor s3://bucket/prefix", setting=SETTING)
    from snapshots.directory import Directory  # noqa: PLC0415 - the protocol is imported by what needs no files

    return Directory(Path(text), files=files)
