"""What a connection test found, as a server's status keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

if TYPE_CHECKING:
    from backend.tools.diagnosis.report import TestReport


def status_of(report: TestReport) -> dict[str, Any]:
    """The status of a server after a test of it."""
    identity = report.server or {}
    return {
        "state": "ok" if report.ok else "error",
        "code": report.code,
        "params": report.params,
        "checked_at": timezone.now().isoformat(),
        "latency_ms": round(report.ms, 1),
        "protocol": report.protocol,
        "server_name": identity.get("name"),
        "server_version": identity.get("version"),
        "tool_count": len(report.tools) if report.ok else None,
        "left_out": report.left_out,
        "declared": report.declared,
    }
