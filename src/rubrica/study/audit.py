"""The audit: look for the faults of published data before anybody scores or judges it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rubrica.study.checks.files import check_file
from rubrica.study.checks.findings import Audit, Finding
from rubrica.study.checks.outputs import check_outputs
from rubrica.study.checks.scores import Scored, check_tables, check_texts
from rubrica.study.checks.systems import check_systems
from rubrica.study.layout import find_systems


def audit(folder: str | Path | None, tables: Sequence[Scored] = ()) -> Audit:
    """Check a folder of systems, and tables of scores against the folder and each other."""
    findings: list[Finding] = []
    systems = find_systems(folder) if folder is not None else []
    lines: dict[Path, list[str]] = {}
    for system in systems:
        for file, role in ((system.ref, "ref"), (system.out, "out")):
            if file not in lines:
                lines[file], problems = check_file(file, role)
                findings.extend(problems)
    findings.extend(check_systems(systems, lines))
    findings.extend(check_outputs(systems, lines))
    for table in tables:
        findings.extend(check_texts(table, systems, lines))
    findings.extend(check_tables(tables))
    if folder is not None:
        # Paths are relative to the folder, which the audit names once.
        root = f"{folder}".rstrip("/") + "/"
        findings = [
            replace(finding, where=finding.where.removeprefix(root)) for finding in findings
        ]
    return Audit.of(
        findings,
        folder=None if folder is None else str(folder),
        systems=[system.summarizer_id for system in systems],
        files=len(lines),
        tables=[table.name for table in tables],
    )
