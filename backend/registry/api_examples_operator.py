"""Examples of what operators are asked, as the API answered."""

from __future__ import annotations

from typing import Any

PROGRAM: dict[str, Any] = {
    "id": "apv_01m80fcevy73bq6f6bkpb24eng",
    "hash": "5f0c2d4b8a7e6f1d3c9b0a8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c3b2a1f0e9d8c",
    "name": "Search index",
    "team": {"id": "team_01m80fc7wd1fshnkscyj1tch48", "name": "Research"},
    "command": "uvx",
    "args": ["--from", "git+https://example.org/index", "index-server", "--api-key", "····"],
    "env": ["HTTPS_PROXY", "INDEX_URL"],
    "cwd": "",
    "box": {"network": False},
    "package": "",
    "concerns": [{"kind": "arguments", "name": ""}, {"kind": "variable", "name": "HTTPS_PROXY"}],
    "asked_for": "server",
    "state": "waiting",
    "basis": None,
    "requested_by": "adam@example.org",
    "decided_by": None,
    "decided_at": None,
    "created_at": "2026-11-22T01:54:26.816Z",
}
DECIDED: dict[str, Any] = {**PROGRAM, "decided_by": "alice@example.org", "decided_at": "2026-11-22T02:10:03.120Z"}

OPERATORS: dict[str, dict[str, dict[str, Any]]] = {
    "operator_programs": {"answers": {"200": {"results": [PROGRAM], "next": None}}},
    "operator_program_approve": {"answers": {"200": {**DECIDED, "state": "approved", "basis": "operator"}}},
    "operator_program_reject": {"answers": {"200": {**DECIDED, "state": "rejected"}}},
}
