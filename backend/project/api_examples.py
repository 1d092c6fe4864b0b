"""Examples of the installation's own operations, as the API answered them."""

from __future__ import annotations

from typing import Any

ALLOWANCE: dict[str, Any] = {
    "id": "alw_01m80fcevy73bq6f6bkpb24eng",
    "kind": "host",
    "value": "wiki.internal.example.org",
    "added_by": "alice@example.org",
    "created_at": "2026-11-22T01:54:26.816Z",
}

WORKER: dict[str, Any] = {
    "name": "worker-1:41",
    "alive": True,
    "running": 3,
    "capacity": 64,
    "age_s": 86400.0,
    "seen_s": 2.1,
}

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
    "operator_installation": {
        "answers": {
            "200": {
                "operators": [{"email": "alice@example.org", "name": "Alice", "named": True}],
                "teams": 2,
                "programs": {"allowed": True, "set": True},
                "commands": ["uvx", "/opt/tools/search-server"],
                "hosts": ["10.20.0.0/16"],
                "proxy": False,
                "loopback": {"allowed": False, "set": False, "default": False},
                "allowed": [ALLOWANCE],
            }
        }
    },
    "operator_storage": {
        "answers": {
            "200": {
                "database_bytes": 104857600,
                "free_mb": 51200,
                "retention_days": 30,
                "blobs": {"count": 120, "bytes": 73400320},
                "files": {"count": 12, "bytes": 5242880},
                "teams_count": 1,
                "teams": [
                    {
                        "id": "team_01m80fc7wd1fshnkscyj1tch48",
                        "name": "Research",
                        "members": 4,
                        "runs": 812,
                        "events": 20480,
                        "blobs": {"count": 120, "bytes": 73400320},
                        "files": {"count": 12, "bytes": 5242880},
                    }
                ],
            }
        }
    },
    "operator_workers": {
        "answers": {
            "200": {
                "mode": "scaled",
                "lease_s": 15.0,
                "limit": 30,
                "running": 3,
                "queued": 0,
                "waiting": 2,
                "oldest_s": None,
                "workers": [WORKER],
            }
        }
    },
    "operator_allow": {
        "asks": {"A host": {"kind": "host", "value": "wiki.internal.example.org"}},
        "answers": {"201": ALLOWANCE},
    },
}
