"""What an S3 server's refusals and silences mean for whoever runs this, and which setting to look at."""

from typing import Any, TypeAlias

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's own, the parent of all that goes wrong before a reply
    CredentialRetrievalError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ResponseStreamingError,
    SSLError,
)
from botocore.parsers import ResponseParserError

from snapshots.errors import StoreError, StoreFull, StoreRefused, StoreUnreachable

BUCKET = "CITATOR_BUCKET"
ENDPOINT = "CITATOR_S3_ENDPOINT"
REGION = "CITATOR_S3_REGION"
KEYS = "CITATOR_S3_ACCESS_KEY, CITATOR_S3_SECRET_KEY"
CHECKSUMS = "CITATOR_S3_CHECKSUMS"

Problem: TypeAlias = Any
"""One of `FOREIGN`; botocore has no types."""

FOREIGN = (ClientError, BotoCoreError, ResponseParserError)
"""All that botocore raises while a call is under way."""

_SETTING_OF_CODE = {
    "NoSuchBucket": BUCKET,
    "InvalidBucketName": BUCKET,
    "AccessDenied": KEYS,
    "InvalidAccessKeyId": KEYS,
    "SignatureDoesNotMatch": KEYS,
    "ExpiredToken": KEYS,
    "InvalidToken": KEYS,
    "AuthorizationHeaderMalformed": REGION,
    "PermanentRedirect": REGION,
    "IllegalLocationConstraintException": REGION,
    "NotImplemented": CHECKSUMS,
    "InvalidRequest": CHECKSUMS,
    "InvalidArgument": CHECKSUMS,
    "MissingContentLength": CHECKSUMS,
    "MissingContentMD5": CHECKSUMS,
    "BadDigest": CHECKSUMS,
    "InvalidDigest": CHECKSUMS,
    "XAmzContentSHA256Mismatch": CHECKSUMS,
}
_SETTING_OF_STATUS = {301: REGION, 307: REGION, 401: KEYS, 403: KEYS, 405: ENDPOINT, 411: CHECKSUMS, 501: CHECKSUMS}
_SETTING_OF_KIND = {
    NoCredentialsError: KEYS,
    PartialCredentialsError: KEYS,
    CredentialRetrievalError: KEYS,
    ParamValidationError: BUCKET,
    ResponseParserError: ENDPOINT,  # what answers there does not speak S3
}
_FULL_CODES = {"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "StorageFull", "QuotaExceededException"}
_PASSING_CODES = {
    "SlowDown",
    "RequestTimeout",
    "InternalError",
    "ServiceUnavailable",
    "Throttling",
    "OperationAborted",
    "ConditionalRequestConflict",
}
_PASSING_STATUSES = {429, 500, 502, 503, 504}
MAX_MESSAGE = 300
"""Characters of a server's own message that are repeated."""

_INSUFFICIENT_STORAGE = 507
_ADVICE = {
    CHECKSUMS: "; when_required sends no checksum headers that an older server does not know, and if it is set already,"
    " the server may not know conditional writes (If-None-Match, If-Match), which are needed: see citator doctor",
    REGION: "; the bucket may be in another region",
}


def code_of(problem: Problem) -> str:
    """The S3 error code of a reply, or an empty string."""
    return str(problem.response.get("Error", {}).get("Code", "")) if isinstance(problem, ClientError) else ""


def status_of(problem: Problem) -> int:
    """The HTTP status of a reply, or 0 if there was none."""
    if not isinstance(problem, ClientError):
        return 0
    return int(problem.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def passing(problem: Problem) -> bool:
    """Whether the same call may succeed a moment later; whether this one took effect is then not known."""
    if isinstance(problem, SSLError):
        return False
    if isinstance(problem, ConnectionError | HTTPClientError | IncompleteReadError | ResponseStreamingError):
        return True
    if code_of(problem) in _FULL_CODES:
        return False
    return code_of(problem) in _PASSING_CODES or status_of(problem) in _PASSING_STATUSES


def explained(problem: Problem, bucket: str) -> StoreError:
    """The error of this library that says what `problem` means."""
    code, status, what = code_of(problem), status_of(problem), f"the bucket {bucket}"
    for kind, setting in _SETTING_OF_KIND.items():
        if isinstance(problem, kind):
            return StoreRefused(f"{what} cannot be asked: {problem}", setting=setting)
    if passing(problem) or isinstance(problem, SSLError):
        return StoreUnreachable(f"{what} does not answer: {_said(problem)} (see {ENDPOINT})")
    if code in _FULL_CODES or status == _INSUFFICIENT_STORAGE:
        return StoreFull(f"{what} has no room left: {_said(problem)}")
    if isinstance(problem, ClientError):
        # A number for a code: the reply had no error of S3 in it.
        otherwise = ENDPOINT if code.isdigit() else BUCKET
        setting = _SETTING_OF_CODE.get(code) or _SETTING_OF_STATUS.get(status, otherwise)
        return StoreRefused(f"{what} refuses: {_said(problem)}{_ADVICE.get(setting, '')}", setting=setting)
    return StoreError(f"{what} does not work: {problem}")


def _said(problem: Problem) -> str:
    """What the server said, without botocore's account of its own retries."""
    if not isinstance(problem, ClientError):
        return str(problem)
    message = str(problem.response.get("Error", {}).get("Message", ""))
    return f"{status_of(problem)} {code_of(problem)}: {message[:MAX_MESSAGE]}"
