"""Examples of the secrets room's operations, as the API answered them."""

from __future__ import annotations

from typing import Any

SECRET: dict[str, Any] = {
    "name": "search_key",
    "hint": "····1234",
    "hosts": ["example.org"],
    "created_at": "2026-11-22T01:54:19.791Z",
    "updated_at": "2026-11-22T01:54:19.791Z",
}

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "secrets": {"answers": {"200": {"results": [SECRET], "next": None}}},
    "secret_create": {
        "asks": {"For one host": {"name": "search_key", "value": "demo-value-1234", "hosts": ["example.org"]}},
        "answers": {"201": SECRET},
    },
    "secret_update": {
        "asks": {
            "More hosts": {"hosts": ["example.org", "*.example.org"]},
            "A new value": {"value": "demo-value-5678"},
        },
        "answers": {
            "200": {
                "name": "search_key",
                "hint": "····1234",
                "hosts": ["example.org", "*.example.org"],
                "created_at": "2026-11-22T01:54:19.791Z",
                "updated_at": "2026-11-22T01:54:19.795Z",
            }
        },
    },
}
