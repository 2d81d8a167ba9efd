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
        """Return a fault found in some lines of a file."""
        return cls(gravity, kind, str(where), message, len(lines), of, tuple(lines[:SHOWN_LINES]))

    def cases(self) -> str:
        """Return `99 of 100`, or an empty string if cases were not counted."""
        return f"{self.count:,} of {self.of:,}" if self.of else ""

    def text(self) -> str:
        """Return the message with counts and line numbers."""
        message = self.message
        if self.of:
            message += f": {self.cases()}"
        if self.lines:
            more = ", ..." if self.count > len(self.lines) else ""
            message += f" (line {', '.join(map(str, self.lines))}{more})"
        return message


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings, the most serious first, and what was checked."""

    findings: tuple[Finding, ...]
    looked_at: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, findings: Iterable[Finding], **looked_at: Any) -> Audit:
        """Return an audit with its findings sorted by gravity, then in the order found."""
        ordered = sorted(findings, key=lambda finding: GRAVITIES.index(finding.gravity))
        return cls(tuple(ordered), looked_at)

    def worst(self) -> Gravity | None:
        """Return the highest gravity among the findings."""
        return self.findings[0].gravity if self.findings else None

    def counts(self) -> dict[str, int]:
        """Return the number of findings by gravity."""
        return {g: sum(finding.gravity == g for finding in self.findings) for g in GRAVITIES}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        rows = [asdict(finding) | {"text": finding.text()} for finding in self.findings]
        return {"looked_at": self.looked_at, "counts": self.counts(), "findings": rows}
