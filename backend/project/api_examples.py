"""Examples of the installation's own operations, as the API answered them."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "health": {
        "answers": {
            "200": {"status": "ok", "version": "0.1.0", "mode": "embedded"},
            "503": {"status": "starting", "version": "0.1.0", "mode": "embedded"},
        }
    },
    "ready": {
        "answers": {
            "200": {
                "status": "ok",
                "version": "0.1.0",
                "mode": "scaled",
                "checks": {"database": True, "storage": True, "migrations": True, "workers": True, "redis": True},
                "free_mb": 51200,
                "free_inodes": 3276800,
                "queue_lag_s": 0.2,
            },
            "503": {
                "status": "starting",
                "version": "0.1.0",
                "mode": "scaled",
                "checks": {"database": True, "storage": True, "migrations": True, "workers": False, "redis": True},
                "free_mb": 51200,
                "free_inodes": 3276800,
                "queue_lag_s": 0.2,
            },
        }
    },
}
