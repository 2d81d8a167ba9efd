"""What an audit finds: each fault with its kind, gravity, place, and how often it occurs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

Gravity: TypeAlias = Literal["error", "warning", "note"]
GRAVITIES: tuple[Gravity, ...] = ("error", "warning", "note")
SHOWN_LINES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault: `lines` are the first line numbers (from 1) of `count` cases among `of`."""

    gravity: Gravity
    kind: str
    where: str
    message: str
    count: int = 0
    of: int = 0
    lines: tuple[int, ...] = ()

    @classmethod
    def of_lines(
        cls, gravity: Gravity, kind: str, where: object, message: str, lines: list[int], of: int
    ) -> Finding:
        """A fault of some of a file's lines."""
        return cls(gravity, kind, str(where), message, len(lines), of, tuple(lines[:SHOWN_LINES]))

    def cases(self) -> str:
        """`99 of 100`, or nothing where it was not counted."""
        return f"{self.count:,} of {self.of:,}" if self.of else ""

    def text(self) -> str:
        """The message with counts and places."""
        told = self.message
        if self.of:
            told += f": {self.cases()}"
        if self.lines:
            more = ", ..." if self.count > len(self.lines) else ""
            told += f" (line {', '.join(map(str, self.lines))}{more})"
        return told


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings, the gravest first, and what was looked at."""

    findings: tuple[Finding, ...]
    looked_at: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, findings: Iterable[Finding], **looked_at: Any) -> Audit:
        """Findings in order of gravity, then as found."""
        ordered = sorted(findings, key=lambda one: GRAVITIES.index(one.gravity))
        return cls(tuple(ordered), looked_at)

    def worst(self) -> Gravity | None:
        """The gravest gravity met."""
        return self.findings[0].gravity if self.findings else None

    def counts(self) -> dict[str, int]:
        """Findings by gravity."""
        return {g: sum(one.gravity == g for one in self.findings) for g in GRAVITIES}

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        rows = [asdict(one) | {"text": one.text()} for one in self.findings]
        return {"looked_at": self.looked_at, "counts": self.counts(), "findings": rows}
