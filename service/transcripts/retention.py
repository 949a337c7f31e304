"""What providers keep of a session, for how long by their documentation, and the call that deletes it.

| row | says | where that was read | when |
| --- | --- | --- | --- |
| OpenAI responses | at least 30 days unless `store` is false | Earendil Engineering, "The Session You …" | 2026-07 |
| Gemini interactions | 55 days if paid, one day if free, unless `store` is false | the same | 2026-07 |
| Gemini caches | one hour unless a time to live is set | ai.google.dev/gemini-api/docs/caching | 2026-11 |
| Gemini files | 48 hours | Gemini API forum, quoting the documentation of files | 2026-11 |
| OpenAI containers | some minutes after the last use (`expires_after`) | OpenAI's reference of containers | 2026-11 |
| Anthropic files | until they are deleted | reference of Anthropic's files (`files-delete`) | 2026-11 |

A row that says "not documented in what was read" says so because nothing was found, not because nothing is kept. Terms
of a contract may differ from all of these.
"""

from dataclasses import dataclass
from typing import Final

UNKNOWN: Final = "not documented in what was read"


@dataclass(frozen=True)
class Retention:
    """How long a copy lies at its provider, and how it is deleted; `call` has `{id}` for its name."""

    provider: str
    what: str
    kept: str
    call: str
    as_of: str


_ESSAY: Final = "2026-07"
_READ: Final = "2026-11"

_ROWS: Final[dict[str, Retention]] = {
    "response": Retention(
        "OpenAI", "response", "at least 30 days unless `store` was false", "DELETE /v1/responses/{id}", _ESSAY
    ),
    "conversation": Retention("OpenAI", "conversation", UNKNOWN, "DELETE /v1/conversations/{id}", _READ),
    "prompt": Retention("OpenAI", "stored prompt", "until it is deleted", "in the dashboard; there is no call", _READ),
    "openai-file": Retention("OpenAI", "file", "until it is deleted or expires", "DELETE /v1/files/{id}", _READ),
    "openai-container": Retention(
        "OpenAI", "container", "until some minutes after its last use", "DELETE /v1/containers/{id}", _READ
    ),
    "vector-store": Retention(
        "OpenAI", "vector store", "until it is deleted or expires", "DELETE /v1/vector_stores/{id}", _READ
    ),
    "chatgpt-file": Retention("OpenAI", "file of ChatGPT", "with its chat", "delete the chat in ChatGPT", _READ),
    "anthropic-file": Retention("Anthropic", "file", "until it is deleted", "DELETE /v1/files/{id}", _READ),
    "anthropic-container": Retention("Anthropic", "container", UNKNOWN, "none known; it expires", _READ),
    "interaction": Retention(
        "Google", "interaction", "55 days on the paid tier, one day on the free one, unless `store` was false",
        "DELETE /v1beta/interactions/{id}", _ESSAY,
    ),
    "environment": Retention("Google", "environment", UNKNOWN, "none known", _READ),
    "cache": Retention(
        "Google", "cached content", "one hour unless a time to live was set", "DELETE /v1beta/{id}", _READ
    ),
    "google-file": Retention("Google", "file", "48 hours", "DELETE /v1beta/{id}", _READ),
    "file-search-store": Retention("Google", "file search store", "until it is deleted", "DELETE /v1beta/{id}", _READ),
    "webui-file": Retention(
        "Open WebUI", "file", "until it is deleted; it lies on that server", "DELETE /api/v1/files/{id}", _READ
    ),
    "other": Retention("the provider", "copy", UNKNOWN, "none known", _READ),
}  # fmt: skip

_BY_KEY: Final = {
    "previous_response_id": "response", "response.id": "response", "responseId": "response",
    "conversation": "conversation", "prompt.id": "prompt",
    "previous_interaction_id": "interaction", "interaction.id": "interaction", "environment_id": "environment",
    "cachedContent": "cache", "cached_content": "cache", "fileUri": "google-file", "file_uri": "google-file",
    "fileSearchStoreNames": "file-search-store", "file_search_store_names": "file-search-store",
    "vector_store_ids": "vector-store", "vector_store_id": "vector-store",
    "asset_pointer": "chatgpt-file", "files.id": "webui-file",
}  # fmt: skip


def retention(where: str, *, anthropic: bool) -> Retention:
    """The row for what stands at `where` (type and key), in a transcript of Anthropic's or of others."""
    key = where.rpartition(".")[2]
    row = _BY_KEY.get(where) or _BY_KEY.get(key)
    if row is None and key in ("file_id", "file_ids"):
        row = "anthropic-file" if anthropic else "openai-file"
    if row is None and key in ("container", "container_id"):
        row = "anthropic-container" if anthropic else "openai-container"
    return _ROWS[row or "other"]
