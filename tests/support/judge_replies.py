"""Replies of every provider in its wire format, as their documentation shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from support.judge_server import Raw, said

# What a provider replies when its model says `text` in 100 + 2 tokens.
PLAIN: dict[str, Any] = {
    "openai": lambda text: said(text, finish_reason="stop"),
    "anthropic": lambda text: {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "5?"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 2},
    },
    "gemini": lambda text: {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "5?", "thought": True}, {"text": text}],
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 100,
            "candidatesTokenCount": 1,
            "thoughtsTokenCount": 1,
        },
    },
    "ollama": lambda text: {
        "model": "m",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 100,
        "eval_count": 2,
    },
    "bedrock": lambda text: {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "5?"}}},
                    {"text": text},
                ],
            }
        },
        "stopReason": "end_turn",
        "usage": {"inputTokens": 100, "outputTokens": 2, "totalTokens": 102},
    },
}


def events(*values: Any, named: bool = False, done: bool = False) -> Raw:
    """Server-sent events."""
    lines = [
        (f"event: {value['type']}\n" if named else "") + f"data: {json.dumps(value)}\n\n"
        for value in values
    ]
    if done:
        lines.append("data: [DONE]\n\n")
    return Raw("".join(lines).encode(), headers={"Content-Type": "text/event-stream"})


def _openai(pieces: Sequence[str]) -> Raw:
    chunks: list[Any] = [
        {"choices": [{"delta": {"content": piece}, "finish_reason": None}], "usage": None}
        for piece in pieces
    ]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": None})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 2}})
    return events(*chunks, done=True)


def _anthropic(pieces: Sequence[str]) -> Raw:
    usage = {"input_tokens": 100, "output_tokens": 1}
    deltas = [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": piece},
        }
        for piece in pieces
    ]
    return events(
        {"type": "message_start", "message": {"content": [], "usage": usage}},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *deltas,
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
        named=True,
    )


def _gemini(pieces: Sequence[str]) -> Raw:
    chunks: list[Any] = [
        {"candidates": [{"content": {"parts": [{"text": piece}]}}]} for piece in pieces
    ]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = {"promptTokenCount": 100, "candidatesTokenCount": 2}
    return events(*chunks)


def _ollama(pieces: Sequence[str]) -> Raw:
    lines: list[Any] = [{"message": {"content": piece}, "done": False} for piece in pieces]
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 2}
    lines.append({"message": {"content": ""}, **end})
    content = "\n".join(map(json.dumps, lines)).encode()
    return Raw(content, headers={"Content-Type": "application/x-ndjson"})


STREAMED: dict[str, Any] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
}

# How each provider says no: what is busy, and a prompt that is too long.
BUSY: dict[str, Raw] = {
    "openai": Raw(b'{"error": {"message": "Rate limit reached", "type": "requests"}}', 429),
    "anthropic": Raw(
        b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}', 529
    ),
    "gemini": Raw(
        b'{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota", "details": '
        b'[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.002s"}]}}',
        429,
    ),
    "ollama": Raw(b'{"error": "server busy, please try again"}', 503),
    "bedrock": Raw(
        b'{"message": "Too many requests"}', 429, {"x-amzn-ErrorType": "ThrottlingException"}
    ),
}
TOO_LONG: dict[str, Raw] = {
    "openai": Raw(b'{"error": {"code": "context_length_exceeded", "message": "Too long"}}', 400),
    "anthropic": Raw(
        b'{"type": "error", "error": {"type": "invalid_request_error", "message": '
        b'"prompt is too long: 210000 tokens > 200000 maximum"}}',
        400,
    ),
    "gemini": Raw(
        b'{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": '
        b'"The input token count exceeds the maximum number of tokens allowed (1048576)."}}',
        400,
    ),
    "ollama": Raw(b'{"error": "the input length exceeds the context length"}', 400),
    "bedrock": Raw(
        b'{"message": "Input is too long for requested model."}',
        400,
        {"x-amzn-ErrorType": "ValidationException"},
    ),
}
