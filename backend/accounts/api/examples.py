"""Examples of the accounts room's operations, as the API answered them."""

from __future__ import annotations

from typing import Any

from backend.accounts.api.examples_teams import PASSKEY, TEAMS

TEAM: dict[str, Any] = {
    "id": "team_01m80fc7w40vh45jgp7vh42ry2",
    "name": "Platform",
    "slug": "platform",
    "role": "editor",
    "currency": "USD",
}
ME: dict[str, Any] = {
    "id": "usr_01m80fc7yjdkf03whnbmzgx7v8",
    "email": "bob@example.org",
    "name": "Bob",
    "language": "en",
    "theme": "system",
    "auto_execute": False,
    "operator": True,
    "team": TEAM,
    "teams": [TEAM],
}
ALICE: dict[str, Any] = {
    "id": "usr_01m80fc7ym4qhmcm1tg427yxr8",
    "email": "alice@example.org",
    "name": "Alice",
    "language": "en",
    "theme": "system",
    "auto_execute": False,
    "operator": True,
    "team": {**TEAM, "role": "owner"},
    "teams": [{**TEAM, "role": "owner"}],
}
TOKEN: dict[str, Any] = {
    "id": "tok_01m80fc800k4r1vstx8vgqc0hy",
    "name": "laptop",
    "prefix": "pb_K-3Fb",
    "scopes": ["read", "run"],
    "user": {"id": "usr_01m80fc7yjdkf03whnbmzgx7v8", "email": "bob@example.org", "name": "Bob"},
    "created_at": "2026-11-22T01:54:19.776Z",
    "expires_at": "2027-02-20T01:54:19.776Z",
    "last_used_at": None,
    "approves_until": None,
    "workflows": [],
    "networks": [],
}
DEED: dict[str, Any] = {
    "id": "aud_01m80v2q1n6t3h0w5d8k4xj7ce",
    "at": "2026-11-22T05:31:19.776Z",
    "action": "workflow.changed",
    "actor": {"id": ME["id"], "email": ME["email"], "name": ME["name"]},
    "token": {"id": TOKEN["id"], "name": TOKEN["name"]},
    "kind": "workflow",
    "target": "wf_01m80fcb2s4v6y8a0c2e4g6j8m",
    "data": {"name": "Invoices", "slug": "invoices"},
    "changes": {"description": ["", "Every first of the month"]},
    "content": {},
    "erased": False,
    "link": {
        "position": 1204,
        "digest": "9d1c2f0a7be94c35860f1e2d3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d",
        "data_digest": "4b7a0c19d2e8f36575a1b0c9d8e7f60112233445566778899aabbccddeeff001",
        "data_salt": "5f0d3b9a7c1e2d4f6a8b0c2e4d6f8a1b",
        "content_digest": "c0ffee0192837465aabbccdd11223344556677889900aabbccddeeff00112233",
        "content_salt": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    },
}

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    **TEAMS,
    "me": {"answers": {"200": ME}},
    "me_update": {
        "asks": {"Chinese, and dark": {"language": "zh", "theme": "dark"}},
        "answers": {"200": {**ME, "language": "zh", "theme": "dark"}},
    },
    "setup": {"answers": {"200": {"purpose": "first_owner", "email": ""}}},
    "passkey_sign_in": {
        "asks": {"What the browser answered": {"credential": PASSKEY}},
        "answers": {"200": ME},
    },
    "setup_use": {
        "asks": {
            "The first owner": {
                "token": "W4n1c0d…",
                "email": "alice@example.org",
                "name": "Alice",
                "password": "correct horse battery",
                "team": "Platform",
                "language": "en",
            },
            "A member signs in": {"token": "W4n1c0d…"},
        },
        "answers": {"200": ALICE},
    },
    "teams": {
        "answers": {
            "200": {
                "results": [{**TEAM, "role": "owner"}],
                "next": None,
            }
        }
    },
    "team": {"answers": {"200": {**TEAM, "second_factor": False, "budget": {"tokens_per_day": 500_000}}}},
    "team_update": {
        "asks": {
            "Half a million tokens a day": {"budget": {"tokens_per_day": 500_000, "cost_per_day": None}},
            "Another name": {"name": "Platform"},
        },
        "answers": {"200": {**TEAM, "role": "admin", "second_factor": False, "budget": {"tokens_per_day": 500_000}}},
    },
    "audit": {"answers": {"200": {"results": [DEED], "next": None}}},
    "audit_chain": {
        "answers": {
            "200": {
                "start": 0,
                "head": 1204,
                "digest": DEED["link"]["digest"],
                "verified": 1198,
                "verified_at": "2026-11-22T05:30:04.112Z",
                "broken": None,
                "problem": "",
                "waiting": 2,
            }
        }
    },
    "tokens": {"answers": {"200": {"results": [TOKEN], "next": None}}},
    "token_create": {
        "asks": {
            "To start runs, for 90 days": {"name": "laptop", "scopes": ["read", "run"], "expires_in_days": 90},
            "All that one may oneself": {"name": "everything"},
        },
        "answers": {"201": {**TOKEN, "token": "pb_K-3Fb…"}},
    },
}
