"""Transcripts in which something happens to a result later, and some whose search was the provider's own."""

import json

from tests.service.transcripts import making
from tests.service.transcripts.making import TIME, document, lines

REMOVING = {
    "pi compaction": lambda one: lines(
        [
            *making.pi_lines(one),
            {"type": "compaction", "id": "e5", "parentId": "e4", "summary": "x", "firstKeptEntryId": "e4"},
        ]
    ),
    "pi context edit": lambda one: lines(
        [
            *making.pi_lines(one),
            {"type": "context_edit", "id": "e5", "parentId": "e4", "targetId": "e3", "replacement": None},
        ]
    ),
    "codex compacted": lambda one: lines(
        [
            *making.codex_lines(one),
            {"timestamp": TIME, "type": "compacted", "payload": {"message": "x", "replacement_history": []}},
        ]
    ),
    "codex sealed compaction": lambda one: lines(
        [
            *making.codex_lines(one),
            {
                "timestamp": TIME,
                "type": "response_item",
                "payload": {"type": "compaction", "encrypted_content": "gAAA"},
            },
        ]
    ),
    "claude compaction": lambda one: lines(
        [
            *making.claude_lines(one),
            {
                "type": "system",
                "subtype": "compact_boundary",
                "uuid": "u5",
                "logicalParentUuid": "u4",
                "compactMetadata": {"trigger": "auto"},
            },
        ]
    ),
    "claude microcompaction": lambda one: lines(
        [
            *making.claude_lines(one),
            {
                "type": "system",
                "subtype": "microcompact_boundary",
                "uuid": "u5",
                "parentUuid": "u4",
                "microcompactMetadata": {"compactedToolIds": ["c1"], "tokensSaved": 9},
            },
        ]
    ),
    "anthropic compaction": lambda one: document(
        json.loads(making.anthropic(one))
        | {
            "messages": [
                *json.loads(making.anthropic(one))["messages"],
                {"role": "assistant", "content": [{"type": "compaction", "content": "The toll ends."}]},
            ]
        }
    ),
    "langchain removal": lambda one: document(
        [
            *({**m, "data": {**m["data"], "id": f"m{n}"}} for n, m in enumerate(json.loads(making.langchain(one)))),
            {"type": "remove", "data": {"id": "m2", "content": ""}},
        ]
    ),
}


HOSTED = {
    "openai": (
        {
            "id": "resp_1",
            "object": "response",
            "output": [
                {
                    "type": "web_search_call",
                    "id": "w",
                    "status": "completed",
                    "action": {
                        "type": "search",
                        "query": "toll",
                        "sources": [{"type": "url", "url": "http://a.test/"}],
                    },
                }
            ],
        },
        ["hosted_url_only"],
    ),
    "anthropic": (
        {
            "model": "m",
            "messages": [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "toll"}},
                        {
                            "type": "web_search_tool_result",
                            "tool_use_id": "s",
                            "content": [
                                {
                                    "type": "web_search_result",
                                    "url": "http://a.test/",
                                    "title": "A",
                                    "encrypted_content": "Eo8",
                                }
                            ],
                        },
                    ],
                }
            ],
        },
        ["sealed"],
    ),
    "anthropic fetch": (
        {
            "model": "m",
            "messages": [
                {
                    "role": "assistant",
                    "content": [
                        {
                            "type": "web_fetch_tool_result",
                            "tool_use_id": "s",
                            "content": {
                                "type": "web_fetch_result",
                                "url": "http://a.test/",
                                "content": {
                                    "type": "document",
                                    "source": {"type": "text", "media_type": "text/plain", "data": "The page."},
                                },
                            },
                        }
                    ],
                }
            ],
        },
        ["unreferenced"],
    ),
    "gemini": (
        {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": "Friday."}]},
                    "groundingMetadata": {
                        "webSearchQueries": ["toll"],
                        "groundingChunks": [
                            {
                                "web": {
                                    "uri": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ",
                                    "title": "a.test",
                                }
                            }
                        ],
                    },
                }
            ]
        },
        ["hosted_url_only"],
    ),
    "gemini interactions": (
        {
            "id": "i1",
            "steps": [
                {"type": "google_search_call", "arguments": {"queries": ["toll"]}, "signature": "s"},
                {
                    "type": "google_search_result",
                    "call_id": "g",
                    "result": [{"search_suggestions": "<div>"}],
                    "signature": "s",
                },
            ],
        },
        ["sealed"],
    ),
    "claude code": (
        {
            "type": "user",
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "Links: …"}],
            },
            "toolUseResult": {
                "query": "toll",
                "results": [{"tool_use_id": "t", "content": [{"title": "A", "url": "http://a.test/"}]}],
                "durationSeconds": 2.5,
            },
        },
        ["hosted_url_only"],
    ),
}
