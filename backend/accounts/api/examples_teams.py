"""Examples of what teams, invitations and one's own account answer, as the API answered."""

from __future__ import annotations

from typing import Any

VERA: dict[str, Any] = {
    "id": "mem_01m80fc7ynt4ee1pph82sxtrv4",
    "user": "usr_01m80fc7ymytdek5sjwqbh1k4j",
    "email": "vera@example.org",
    "name": "Vera",
    "role": "viewer",
    "joined_at": "2026-11-22T01:54:19.733Z",
    "two_factor": None,
}
ALICE: dict[str, Any] = {
    "id": "mem_01m80fc7ymepd2d3ckmyhs92v4",
    "user": "usr_01m80fc7ym4qhmcm1tg427yxr8",
    "email": "alice@example.org",
    "name": "Alice",
    "role": "owner",
    "joined_at": "2026-11-22T01:54:19.732Z",
    "two_factor": None,
}
INVITATION: dict[str, Any] = {
    "id": "inv_01m80v8p3k0c0r4m7y2h5w9qsd",
    "role": "editor",
    "email": "nina@example.org",
    "created_by": "alice@example.org",
    "created_at": "2026-11-22T05:22:10.112Z",
    "expires_at": "2026-11-29T05:22:10.112Z",
}
BELONGINGS = {"tokens": 2, "servers": 1, "providers": 0, "running": 1}
RESEARCH: dict[str, Any] = {
    "id": "team_01m80v9d2wq5e4t0gk3b6xh8zs",
    "name": "Research",
    "slug": "research",
    "role": "owner",
    "currency": "USD",
    "second_factor": False,
    "budget": {},
}
TEAM: dict[str, Any] = {
    "id": "team_01m80fc7w40vh45jgp7vh42ry2",
    "name": "Platform",
    "slug": "platform",
    "role": "editor",
    "currency": "USD",
}
PASSKEY: dict[str, Any] = {"id": "q83v…", "type": "public-key", "response": {"clientDataJSON": "eyJ0…"}}
CODES = {"codes": ["31415926", "53589793", "23846264", "33832795", "02884197"]}

TEAMS: dict[str, dict[str, dict[str, Any]]] = {
    "team_create": {"asks": {"A team of one's own": {"name": "Research"}}, "answers": {"201": RESEARCH}},
    "team_transfer": {
        "asks": {"To Vera": {"member": "mem_01m80fc7ynt4ee1pph82sxtrv4"}},
        "answers": {"200": {**VERA, "role": "owner"}},
    },
    "team_leave": {"asks": {"What is mine alone goes to the team": {"private": "hand_over"}}, "answers": {}},
    "team_belongings": {"answers": {"200": BELONGINGS}},
    "members": {"answers": {"200": {"results": [VERA, ALICE], "next": None}}},
    "member_update": {
        "asks": {"Vera may edit from now on": {"role": "editor"}},
        "answers": {"200": {**VERA, "role": "editor"}},
    },
    "member_belongings": {"answers": {"200": BELONGINGS}},
    "invitations": {"answers": {"200": {"results": [INVITATION], "next": None}}},
    "invitation_create": {
        "asks": {
            "For one person": {"role": "editor", "email": "nina@example.org"},
            "For whoever has the link, a day long": {"role": "viewer", "expires_in_days": 1},
        },
        "answers": {"201": {**INVITATION, "url": "http://localhost:8000/join#mZ4x9Q2b…"}},
    },
    "invitation_look": {
        "asks": {"What stands behind the # of the link": {"token": "mZ4x9Q2b…"}},
        "answers": {
            "200": {
                "team": "Platform",
                "role": "editor",
                "invited_by": "Alice",
                "expires_at": "2026-11-29T05:22:10.112Z",
                "email": "nina@example.org",
                "account": False,
                "you": None,
                "member": False,
            }
        },
    },
    "invitation_accept": {
        "asks": {
            "A new person": {
                "token": "mZ4x9Q2b…",
                "name": "Nina",
                "password": "correct horse battery",
                "language": "en",
            },
            "Somebody signed in": {"token": "mZ4x9Q2b…"},
        },
        "answers": {
            "200": {
                "id": "usr_01m80va1f5w2n9c7r0kd4x6jbt",
                "email": "nina@example.org",
                "name": "Nina",
                "language": "en",
                "theme": "system",
                "auto_execute": False,
                "operator": False,
                "team": TEAM,
                "teams": [TEAM],
            }
        },
    },
    "me_security": {
        "answers": {
            "200": {
                "password_set": True,
                "asks_password": True,
                "identity_provider": None,
                "two_factor": {
                    "on": True,
                    "since": "2026-11-22T05:30:00.000Z",
                    "last_used_at": None,
                    "codes_left": 10,
                },
            }
        }
    },
    "me_password": {
        "asks": {"Change it": {"current_password": "correct horse battery", "new_password": "another long phrase"}},
        "answers": {},
    },
    "two_factor_begin": {
        "asks": {"With the password": {"password": "correct horse battery"}},
        "answers": {
            "200": {
                "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                "uri": "otpauth://totp/bob%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Patchbay",
                "svg": "<svg …>",
            }
        },
    },
    "two_factor_confirm": {"asks": {"What the app shows": {"code": "492039"}}, "answers": {"200": CODES}},
    "two_factor_codes": {
        "asks": {"With the password": {"password": "correct horse battery"}},
        "answers": {"200": CODES},
    },
    "passkeys": {
        "answers": {
            "200": {
                "results": [
                    {
                        "id": "pk_3",
                        "name": "laptop",
                        "created_at": "2026-11-22T05:20:00.000Z",
                        "last_used_at": None,
                    }
                ],
                "next": None,
            }
        }
    },
    "passkey_begin": {
        "asks": {"With the password": {"password": "correct horse battery"}},
        "answers": {"200": {"options": {"publicKey": {"challenge": "q83v…", "rp": {"id": "patchbay.example.org"}}}}},
    },
    "passkey_create": {
        "asks": {"What the browser made": {"name": "laptop", "credential": PASSKEY}},
        "answers": {"200": CODES},
    },
    "passkey_remove": {"asks": {"With the password": {"password": "correct horse battery"}}, "answers": {}},
    "passkey_sign_in_begin": {
        "answers": {"200": {"options": {"publicKey": {"challenge": "q83v…", "rpId": "patchbay.example.org"}}}}
    },
    "two_factor_off": {"asks": {"With the password": {"password": "correct horse battery"}}, "answers": {}},
    "me_sessions": {
        "answers": {
            "200": {
                "results": [
                    {
                        "id": "ses_7",
                        "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
                        "ip": "127.0.0.1",
                        "created_at": "2026-11-22T05:20:00.000Z",
                        "last_seen_at": "2026-11-22T05:31:00.000Z",
                        "current": True,
                    }
                ],
                "next": None,
            }
        }
    },
    "me_sessions_end": {"answers": {"200": {"ended": 2}}},
    "me_end_preview": {
        "answers": {
            "200": {
                "results": [{"id": TEAM["id"], "name": "Platform", "role": "editor", "fate": "left"}],
                "next": None,
            }
        }
    },
    "me_end": {
        "asks": {"For good": {"email": "bob@example.org", "password": "correct horse battery"}},
        "answers": {},
    },
}
