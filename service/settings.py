"""Everything that can be set, read in one place.

From environment variables `CITATOR_…`, or from the TOML file that `CITATOR_CONFIG` names (same names in lower case,
without the prefix); the environment wins. `docs/settings.md` has a heading for each.
"""

import ipaddress
import json
import os
import re
import sys
import zoneinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, Self, TypedDict

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from service.failures import BadSetting

PREFIX = "CITATOR_"
MEBIBYTE = 1024 * 1024
# Long enough for any page worth reading, short enough that a hostile body cannot fill memory.
DEFAULT_MAX_BODY = 20 * MEBIBYTE

DATABASES = re.compile(r"(postgres(ql)?(\+psycopg)?://.|sqlite(\+pysqlite)?:///.)")
"""How the addresses of databases begin that the catalogue takes."""
OTHER_NAMES = frozenset({"CONFIG", "URL", "KEY", "EVAL_DATA", "PORT"})
"""What else is read from the environment: by the command line, by the evaluation, by the compose file."""


class StoreOptions(TypedDict):
    """What `open_store` takes for an S3 bucket."""

    endpoint: str | None
    region: str
    access_key: str | None
    secret_key: str | None
    addressing: Literal["auto", "path", "virtual"]
    checksums: Literal["when_required", "when_supported"]


class Settings(BaseSettings):
    """All settings, frozen. Build with `load_settings`, which turns a bad value into `BadSetting`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,  # `CITATOR_DATA=` is not the folder that one happens to be in
        frozen=True,
        extra="forbid",  # what is misspelt in the file; the environment is only asked for the names below
        validate_default=True,
    )

    # where things lie
    data: Path = Path("citator-data")
    bucket: str | None = None
    database_url: str | None = None
    log_key_file: Path | None = None
    log_origin: str | None = None

    # S3-compatible store
    s3_endpoint: str | None = None
    s3_region: str = "us-east-1"
    s3_access_key: str | None = None
    s3_secret_key: SecretStr | None = None
    s3_addressing: Literal["auto", "path", "virtual"] = "auto"
    s3_checksums: Literal["when_required", "when_supported"] = "when_required"

    # time stamps on the log
    tsa_urls: Annotated[tuple[str, ...], NoDecode] = ()
    tsa_ca_file: Path | None = None
    tsa_interval: float = Field(default=3600.0, ge=1, le=31 * 86_400)

    # watches
    webhook_origins: Annotated[tuple[str, ...], NoDecode] = ()

    # the server
    listen: str = "127.0.0.1:8787"
    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    loopback_without_key: bool = False
    max_request: int = Field(default=64 * MEBIBYTE, ge=1024)
    key_rate: int = Field(default=0, ge=0)
    key_concurrency: int = Field(default=0, ge=0)
    mcp_structured: bool = True
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    # asking the web
    allow_addresses: Annotated[tuple[str, ...], NoDecode] = ()
    certificate_authorities: Annotated[tuple[str, ...], NoDecode] = ()
    proxy: SecretStr | None = None
    proxy_looks_up: bool = False
    proxy_bypass: Annotated[tuple[str, ...], NoDecode] = ("localhost", "127.0.0.0/8", "::1")
    robots: Literal["follow", "record"] = "follow"
    user_agent: str = "Citator/0.1 (+self-hosted search; see robots.txt token Citator)"
    max_body: int = Field(default=DEFAULT_MAX_BODY, ge=1024)
    fetch_deadline: float = Field(default=30.0, gt=0, le=600)
    host_delay: float = Field(default=0.5, ge=0, le=3600)
    host_concurrency: int = Field(default=4, ge=1, le=64)
    crawl_concurrency: int = Field(default=8, ge=1, le=256)
    crawls_at_once: int = Field(default=16, ge=1, le=1024)
    fetch_retries: int = Field(default=2, ge=0, le=10)
    host_headers: Annotated[dict[str, dict[str, SecretStr]], NoDecode] = Field(default_factory=dict)

    # search providers
    searxng_url: str | None = None
    brave_url: str = "https://api.search.brave.com"
    brave_key: SecretStr | None = None
    tavily_url: str = "https://api.tavily.com"
    tavily_key: SecretStr | None = None
    openalex_url: str | None = None
    openalex_email: str | None = None
    mediawiki_urls: Annotated[tuple[str, ...], NoDecode] = ()
    opensearch_urls: Annotated[tuple[str, ...], NoDecode] = ()
    provider_rates: Annotated[dict[str, Annotated[float, Field(ge=0, le=10_000)]], NoDecode] = Field(
        default_factory=dict
    )
    provider_weights: Annotated[dict[str, Annotated[float, Field(gt=0, le=1000)]], NoDecode] = Field(
        default_factory=dict
    )
    provider_seconds: float = Field(default=8.0, gt=0, le=120)
    search_deadline: float = Field(default=20.0, gt=0, le=600)
    fresh_seconds: int = Field(default=86_400, ge=0)

    # a model that ranks passages
    rerank_url: str | None = None
    rerank_model: str | None = None
    rerank_key: SecretStr | None = None
    embedding_url: str | None = None
    embedding_model: str | None = None
    embedding_key: SecretStr | None = None
    local_model: str | None = None
    rank_seconds: float = Field(default=3.0, gt=0, le=120)

    # a model for sessions
    model_url: str | None = None
    model_form: Literal["openai", "anthropic"] = "openai"
    model_name: str | None = None
    model_key: SecretStr | None = None
    model_seconds: float = Field(default=120.0, gt=0, le=3600)
    model_window: int = Field(default=128_000, ge=1_000, le=10_000_000)
    model_steps: int = Field(default=12, ge=1, le=1000)

    # rendering pages
    chromium: str | None = None
    chromium_sandbox: Literal["auto", "on", "off"] = "auto"
    render: Literal["auto", "never", "always"] = "auto"
    render_concurrency: int = Field(default=2, ge=1, le=64)
    render_deadline: float = Field(default=20.0, gt=0, le=600)
    render_user_agent: str | None = None
    locale: str | None = Field(default=None, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", examples=["de-CH"])
    time_zone: str = "UTC"
    viewport: str = Field(default="1280x800", pattern=r"^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$", examples=["1280x800"])

    # reading pages
    readers: int = Field(default_factory=lambda: min(os.cpu_count() or 1, 8), ge=1, le=256)
    read_seconds: float = Field(default=20.0, gt=0, le=600)
    read_memory: int = Field(default=1024 * MEBIBYTE, ge=128 * MEBIBYTE)

    @field_validator(
        "hosts", "allow_addresses", "tsa_urls", "webhook_origins", "mediawiki_urls", "opensearch_urls",
        "proxy_bypass", "certificate_authorities", mode="before",
    )  # fmt: skip
    @classmethod
    def _split(cls, value: object) -> object:
        """Lists are written with commas in the environment and as lists in the file."""
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("provider_rates", "provider_weights", mode="before")
    @classmethod
    def _by_name(cls, value: object) -> object:
        """Written `searxng=2,brave=0.5` in the environment, and as a table in the file."""
        if not isinstance(value, str):
            return value
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        if not all(mark and name.strip() and number.strip() for name, mark, number in pairs):
            raise ValueError("this is written like searxng=2,brave=0.5")
        return {name.strip(): number.strip() for name, _, number in pairs}

    @field_validator("allow_addresses")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            ipaddress.ip_network(network, strict=False)
        return value

    @field_validator("host_headers", mode="before")
    @classmethod
    def _headers_of_hosts(cls, value: object) -> object:
        """JSON in the environment, a table in the file."""
        return json.loads(value) if isinstance(value, str) else value

    @field_validator("host_headers")
    @classmethod
    def _sendable(cls, value: dict[str, dict[str, SecretStr]]) -> dict[str, dict[str, SecretStr]]:
        for headers in value.values():
            for name, secret in headers.items():
                text = secret.get_secret_value()
                if not (re.fullmatch(r"[A-Za-z0-9-]+", name) and text.isascii() and text.isprintable()):
                    raise ValueError("a header has a name of letters and a value of printable ASCII")
        return value

    @field_validator("time_zone")
    @classmethod
    def _zone(cls, value: str) -> str:
        if value != "UTC" and value not in zoneinfo.available_timezones():
            raise ValueError("a time zone is named like Europe/Berlin")
        return value

    @field_validator("user_agent", "render_user_agent")
    @classmethod
    def _header(cls, value: str | None) -> str | None:
        if value is not None and not (value.isascii() and value.isprintable()):
            raise ValueError("headers hold printable ASCII only")
        return value

    @model_validator(mode="after")
    def _address(self) -> Self:
        host, colon, port = self.listen.rpartition(":")
        if not colon or not host or not port.isdigit() or not int(port) < 65536:  # noqa: PLR2004 - ports end there
            raise ValueError("listen is HOST:PORT, for example 127.0.0.1:8787")
        return self

    @classmethod
    def settings_customise_sources(  # the signature is pydantic's
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then environment, then the file that CITATOR_CONFIG names."""
        named = os.environ.get("CITATOR_CONFIG")
        if not named:
            return init_settings, env_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=Path(named))

    # where each part lies below the data directory

    @property
    def store_options(self) -> StoreOptions:
        """How an S3 bucket is reached; a directory needs none of it."""
        return {
            "endpoint": self.s3_endpoint,
            "region": self.s3_region,
            "access_key": self.s3_access_key,
            "secret_key": self.s3_secret_key.get_secret_value() if self.s3_secret_key else None,
            "addressing": self.s3_addressing,
            "checksums": self.s3_checksums,
        }

    @field_validator("bucket")
    @classmethod
    def _names_a_bucket(cls, value: str | None) -> str | None:
        if value is None:
            return None
        kind, mark, rest = value.partition("://")
        if mark and (kind != "s3" or not rest.strip("/")):
            raise ValueError(f"{value!r} is neither a directory nor s3://bucket/prefix")
        return value

    @field_validator("database_url")
    @classmethod
    def _names_a_database(cls, value: str | None) -> str | None:
        if value is not None and not DATABASES.match(value):
            # It may hold a password, so it is not repeated.
            raise ValueError("this is neither postgresql://USER:PASSWORD@HOST/NAME nor sqlite:///FILE")
        return value

    @property
    def bucket_address(self) -> str:
        """The bucket: as set, or the directory `bucket` in the data directory."""
        return self.bucket or str(self.data / "bucket")

    @property
    def key_path(self) -> Path:
        """The log's private key."""
        return self.log_key_file or self.data / "keys" / "log.key"

    @property
    def bundle_key_path(self) -> Path:
        """The key by which readers of web archives know who made a bundle."""
        return self.data / "keys" / "bundle.key"

    @property
    def tmp_path(self) -> Path:
        """Where bundles are put together. What a killed process left there is removed at the next start."""
        return self.data / "tmp"

    @property
    def catalogue_url(self) -> str:
        """SQLAlchemy address of the catalogue."""
        return self.database_url or f"sqlite:///{(self.data / 'catalogue.db').absolute()}"

    @property
    def state_url(self) -> str:
        """SQLAlchemy address of the state database."""
        return self.database_url or f"sqlite:///{(self.data / 'state.db').absolute()}"

    @property
    def spool_path(self) -> Path:
        """Where what was fetched waits while the bucket takes nothing."""
        return self.data / "spool"

    @property
    def index_path(self) -> Path:
        """The search index, a directory of this machine."""
        return self.data / "index"

    @property
    def seen_path(self) -> Path:
        """The last checkpoint of the log that this installation has seen."""
        return self.data / "checkpoint"

    @property
    def socket_path(self) -> Path:
        """The local socket of a running server."""
        return self.data / "server.sock"


def misspelt() -> list[str]:
    """A sentence for each variable of the environment that looks like a setting and is none."""
    known = {name.upper() for name in Settings.model_fields} | OTHER_NAMES
    told = []
    for variable in sorted(name for name in os.environ if name.startswith(PREFIX)):
        name = variable.removeprefix(PREFIX)
        if name not in known:
            nearest = get_close_matches(name, known, n=1, cutoff=0.7)
            hint = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else ""
            told.append(f"{variable} is no setting and does nothing{hint}")
    return told


def load_settings(**given: object) -> Settings:
    """Read the settings; `given` wins over everything. Names in the environment that are none are told on stderr.

    Raises:
        BadSetting: a value cannot be used, or the file named by CITATOR_CONFIG cannot be read.
    """
    for sentence in misspelt():
        sys.stderr.write(f"citator: {sentence}\n")  # not a log line: logs may not be set up yet
    named = os.environ.get("CITATOR_CONFIG")
    if named and not Path(named).is_file():
        raise BadSetting(f"CITATOR_CONFIG names {named}, which is not a file")
    try:
        return Settings(**given)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as error:
        raise BadSetting(
            "; ".join(_told(problem["loc"], problem["type"], problem["msg"]) for problem in error.errors())
        ) from error
    except (ValueError, OSError) as error:  # the TOML file does not parse, or may not be read
        raise BadSetting(f"CITATOR_CONFIG: {error}") from error


def _told(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """What is wrong with a setting, and what would do."""
    name = f"{PREFIX}{'_'.join(str(part) for part in place).upper() or 'LISTEN'}"
    if kind == "extra_forbidden":
        return f"{name}: there is no such setting"
    field = Settings.model_fields.get(str(place[0])) if place else None
    if kind == "string_pattern_mismatch" and field is not None and field.examples:
        return f"{name}: it is to look like {field.examples[0]}"
    return f"{name}: {message.removeprefix('Value error, ')}"
