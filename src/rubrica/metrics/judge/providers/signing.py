"""Signature version 4 of AWS, from its public description."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, urlsplit


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key; `repr` does not show the secrets."""

    access_key: str
    secret: str = field(repr=False)
    token: str = field(default="", repr=False)


def signed_headers(
    url: str,
    body: bytes,
    credentials: Credentials,
    *,
    region: str,
    service: str,
    method: str = "POST",
    content_type: str = "application/json",
    at: datetime | None = None,
) -> dict[str, str]:
    """Return the headers of a request with its signature, valid for minutes around `at` (default: now)."""
    time = (at or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    parts = urlsplit(url)
    signed = {"content-type": content_type, "host": parts.netloc, "x-amz-date": time}
    if credentials.token:
        signed["x-amz-security-token"] = credentials.token
    names = ";".join(sorted(signed))
    query = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    canonical = "\n".join(
        [
            method,
            # Escapes of the path are escaped once more.
            quote(parts.path or "/", safe="/-_.~"),
            "&".join(f"{name}={value}" for name, value in query),
            *(f"{name}:{signed[name].strip()}" for name in sorted(signed)),
            "",
            names,
            hashlib.sha256(body).hexdigest(),
        ]
    )
    scope = f"{time[:8]}/{region}/{service}/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}"
    key = f"AWS4{credentials.secret}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    signature = _hmac(key, text).hex()
    return {
        **{name: value for name, value in signed.items() if name.startswith("x-amz-")},
        "Content-Type": content_type,
        "Authorization": (
            f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        ),
    }


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
