"""Examples of the registry's operations, as the API answered them."""

from __future__ import annotations

from typing import Any

from backend.registry.api_examples_operator import OPERATORS

FREE: dict[str, Any] = {
    "state": "free",
    "hash": "98a1c0a6d4d4a4bb8b45b9a58e64e7a2b7cf7c5ca8d5a1a6b0a9b2c4d8e1f203",
    "basis": None,
    "decided_by": None,
    "decided_at": None,
}
STATUS: dict[str, Any] = {
    "state": "unknown",
    "code": None,
    "checked_at": None,
    "latency_ms": None,
    "protocol": None,
    "server_name": None,
    "server_version": None,
    "tool_count": None,
    "message": "",
    "hint": "",
}
SEARCH: dict[str, Any] = {
    "id": "srv_01m80fc80spggcmywjqnr7ddry",
    "name": "Search",
    "slug": "search",
    "description": "",
    "transport": "http",
    "url": "https://example.org/mcp",
    "url_secret": False,
    "expires_at": None,
    "command": "",
    "args": [],
    "env": {},
    "secret_env": {},
    "cwd": "",
    "auth_type": "bearer",
    "api_key_set": True,
    "api_key_hint": "····1234",
    "api_key_header": "X-API-Key",
    "headers": {},
    "secret_headers": {},
    "timeout_ms": 30000,
    "preset": "",
    "visibility": "team",
    "enabled": True,
    "session": "shared",
    "credentials": "shared",
    "own_credentials": None,
    "asks": False,
    "trust_annotations": False,
    "max_runs": None,
    "max_calls": None,
    "approval": None,
    "box": "boxed",
    "folders": None,
    "network": True,
    "boxed_as": None,
    "package": None,
    "status": STATUS,
    "workflows": 0,
    "changed_tools": 0,
    "created_by": "usr_01m80fc7wd1fshnkscyj1tch48",
    "created_at": "2026-11-22T01:54:19.805Z",
    "updated_at": "2026-11-22T01:54:19.805Z",
}
TIME: dict[str, Any] = {
    **SEARCH,
    "id": "srv_01m80fc7yfs8fah7adpgyz1m4d",
    "name": "Time",
    "slug": "time",
    "description": "Current time and conversion between time zones.",
    "transport": "stdio",
    "url": "",
    "command": "/opt/patchbay/.venv/bin/python",
    "args": ["-m", "mcp_server_time", "--local-timezone", "UTC"],
    "auth_type": "none",
    "api_key_set": False,
    "api_key_hint": "",
    "preset": "time",
    "trust_annotations": True,
    "approval": FREE,
    "status": {
        "state": "ok",
        "code": None,
        "checked_at": "2026-11-22T01:54:24.547Z",
        "latency_ms": 2229.9,
        "protocol": "2026-07-28",
        "server_name": "mcp-time",
        "server_version": "2026.10.19",
        "tool_count": 2,
        "message": "",
        "hint": "",
    },
    "created_at": "2026-11-22T01:54:19.728Z",
    "updated_at": "2026-11-22T01:54:19.728Z",
}
PACKAGED: dict[str, Any] = {
    **TIME,
    "command": "uvx",
    "args": ["mcp-server-time"],
    "package": {
        "managed": True,
        "name": "mcp-server-time",
        "version": "2026.10.18",
        "integrity": "sha256:4ab87293e7d85e74730f7df82a114b737f96fafa3ae42fd7644d0b5198a60919",
        "pinned_at": "2026-11-22T01:54:19.805Z",
        "looked_at": "2026-11-23T02:10:40.114Z",
        "offered": "2026.10.19",
    },
}
UPDATED: dict[str, Any] = {
    **PACKAGED,
    "package": {**PACKAGED["package"], "version": "2026.10.19", "offered": ""},
}
OWN: dict[str, Any] = {
    "state": "missing",
    "slots": [
        {"kind": "api_key", "name": "", "required": True, "set": True, "hint": "····1234"},
        {"kind": "header", "name": "X-Tenant-Key", "required": True, "set": False, "hint": ""},
    ],
    "updated_at": "2026-11-22T05:20:31.402Z",
}
NOW: dict[str, Any] = {
    "server": "time",
    "name": "get_current_time",
    "title": "",
    "description": "Get current time in a specific timezone",
    "input_schema": {
        "type": "object",
        "properties": {
            "timezone": {
                "type": "string",
                "description": "IANA timezone name (e.g., 'America/New_York', 'Europe/London')",
            }
        },
        "required": ["timezone"],
        "title": "get_current_timeArguments",
    },
    "output_schema": {
        "type": "object",
        "properties": {
            "timezone": {"type": "string"},
            "datetime": {"type": "string"},
            "day_of_week": {"type": "string"},
            "is_dst": {"type": "boolean"},
        },
        "required": ["timezone", "datetime", "day_of_week", "is_dst"],
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    "effect": "read",
    "policy": "auto",
    "approvers": "anyone",
    "risk": {"level": "LOW", "reasons": ["The server says the tool only reads."]},
    "overrides": {"policy": None, "risk": None, "effect": None},
    "changed": False,
    "gone": False,
    "pinned": None,
    "pinned_at": "2026-11-22T01:54:23.172Z",
    "listed_at": "2026-11-22T01:54:23.170Z",
    "problem": None,
}
CONVERT: dict[str, Any] = {
    **NOW,
    "name": "convert_time",
    "description": "Convert time between timezones",
    "input_schema": {
        "type": "object",
        "properties": {
            "source_timezone": {
                "type": "string",
                "description": "Source IANA timezone name (e.g., 'America/New_York', 'Europe/London')",
            },
            "time": {"type": "string", "description": "Time to convert in 24-hour format (HH:MM)"},
            "target_timezone": {
                "type": "string",
                "description": "Target IANA timezone name (e.g., 'Asia/Tokyo', 'America/San_Francisco')",
            },
        },
        "required": ["source_timezone", "time", "target_timezone"],
        "title": "convert_timeArguments",
    },
    "output_schema": {"type": "object"},
}
DECLARATION: dict[str, Any] = {
    "hash": "dc76e483cd486c496aa83d2575707a55cc1e89350ee9318856ab91496b6f1c3b",
    "name": "kb",
    "config": {
        "transport": "stdio",
        "command": "python",
        "args": ["-m", "kb_server"],
        "env": {},
        "cwd": "",
        "url": "",
        "headers": {},
        "timeout_ms": 30000,
        "trust_annotations": None,
    },
    "workflow": "wf_01m80fcevy73bq6f6bkpb24eng",
    "state": "waiting",
    "decided_by": None,
    "decided_at": None,
    "created_at": "2026-11-22T01:54:26.816Z",
    "approval": FREE,
    "package": None,
}
DECLARED_PACKAGE: dict[str, Any] = {
    **DECLARATION,
    "name": "clock",
    "config": {**DECLARATION["config"], "command": "uvx", "args": ["mcp-server-time"]},
    "state": "approved",
    "decided_by": "adam@example.org",
    "decided_at": "2026-11-22T01:54:26.821Z",
    "package": PACKAGED["package"],
}

OFF: dict[str, str] = {"id": "srv_01m80fc80spggcmywjqnr7ddry", "slug": "search", "name": "Search"}
EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "servers_list": {
        "answers": {
            "200": {
                "results": [SEARCH],
                "next": "MjAyNi0xMS0yMlQwMTo1NDoxOS44MDU0MDQrMDA6MDB8c3J2XzAxbTgwZmM4MHNwZ2djbXl3anFucjdkZHJ5",
            }
        }
    },
    "servers_create": {
        "asks": {
            "By URL": {
                "name": "Search",
                "transport": "http",
                "url": "https://example.org/mcp",
                "auth_type": "bearer",
                "api_key": "demo-value-1234",
            },
            "By command": {
                "name": "Git",
                "transport": "stdio",
                "command": "uvx",
                "args": ["mcp-server-git", "--repository", "/srv/r"],
            },
            "By preset": {
                "preset": "modelscope-fetch",
                "values": {"URL": "https://mcp.api-inference.modelscope.net/…/mcp"},
            },
        },
        "answers": {"201": SEARCH},
    },
    "servers_get": {"answers": {"200": TIME}},
    "servers_update": {
        "asks": {
            "Another description": {"description": "Finds pages.", "timeout_ms": 10000},
            "Questions to people": {"asks": True},
            "At most two runs at once": {"max_runs": 2},
        },
        "answers": {
            "200": {
                **SEARCH,
                "description": "Finds pages.",
                "timeout_ms": 10000,
                "updated_at": "2026-11-22T01:54:19.891Z",
            }
        },
    },
    "servers_package_look": {"answers": {"200": PACKAGED}},
    "servers_package_update": {
        "asks": {"The version that is offered": {"version": "2026.10.19"}},
        "answers": {"200": UPDATED},
    },
    "servers_own": {"answers": {"200": OWN}},
    "servers_own_enter": {
        "asks": {
            "A bearer token": {"api_key": "demo-value-1234"},
            "A secret header": {"secret_headers": {"X-Tenant-Key": "demo-value-5678"}},
        },
        "answers": {"200": OWN},
    },
    "servers_test": {
        "answers": {
            "200": {
                "ok": True,
                "stages": [
                    {"name": "policy", "ok": True, "ms": 0.0, "detail": None},
                    {"name": "command", "ok": True, "ms": 1.3, "detail": {"path": "/opt/patchbay/.venv/bin/python"}},
                    {"name": "start", "ok": True, "ms": 83.1, "detail": None},
                    {"name": "protocol", "ok": True, "ms": 1892.5, "detail": None},
                    {"name": "tools", "ok": True, "ms": 11.3, "detail": {"count": 2}},
                    {"name": "schemas", "ok": True, "ms": 1.4, "detail": None},
                ],
                "code": None,
                "message": "",
                "hint": "",
                "messages": [
                    {
                        "at_ms": 95.1,
                        "direction": "out",
                        "message": {
                            "jsonrpc": "2.0",
                            "id": 1,
                            "method": "server/discover",
                            "params": {
                                "_meta": {
                                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                    "io.modelcontextprotocol/clientInfo": {"name": "patchbay", "version": "0.1.0"},
                                    "io.modelcontextprotocol/clientCapabilities": {},
                                }
                            },
                        },
                    },
                    {
                        "at_ms": 1976.6,
                        "direction": "in",
                        "message": {
                            "jsonrpc": "2.0",
                            "id": 1,
                            "result": {
                                "cacheScope": "private",
                                "capabilities": {
                                    "prompts": {"listChanged": False},
                                    "resources": {"listChanged": False, "subscribe": False},
                                    "tools": {"listChanged": False},
                                },
                                "resultType": "complete",
                                "supportedVersions": ["2026-07-28"],
                                "ttlMs": 0,
                                "_meta": {
                                    "io.modelcontextprotocol/serverInfo": {"name": "mcp-time", "version": "2026.10.19"}
                                },
                            },
                        },
                    },
                ],
                "stderr": [],
                "ms": 2229.9,
                "protocol": "2026-07-28",
                "server": {"name": "mcp-time", "version": "2026.10.19"},
                "capabilities": {
                    "prompts": {"listChanged": False},
                    "resources": {"subscribe": False, "listChanged": False},
                    "tools": {"listChanged": False},
                },
                "tools": [NOW],
                "tool_count": 2,
            }
        }
    },
    "servers_test_unsaved": {
        "asks": {
            "By command": {"transport": "stdio", "command": "no-such-program"},
            "By URL": {
                "transport": "http",
                "url": "https://example.org/mcp",
                "auth_type": "bearer",
                "api_key": "demo-value-1234",
            },
        },
        "answers": {
            "200": {
                "ok": False,
                "stages": [
                    {"name": "policy", "ok": True, "ms": 0.0, "detail": None},
                    {"name": "command", "ok": False, "ms": 1.1, "detail": None},
                    {"name": "start", "ok": None, "ms": 0.0, "detail": None},
                    {"name": "protocol", "ok": None, "ms": 0.0, "detail": None},
                    {"name": "tools", "ok": None, "ms": 0.0, "detail": None},
                    {"name": "schemas", "ok": None, "ms": 0.0, "detail": None},
                ],
                "code": "MCP_UNREACHABLE",
                "message": "The program no-such-program was not found.",
                "hint": (
                    "Check the spelling, or use an absolute path. npx and uvx come with Patchbay; "
                    "other programs must be installed on this machine."
                ),
                "messages": [],
                "stderr": [],
                "ms": 1.5,
                "protocol": None,
                "server": {"name": None, "version": None},
                "capabilities": {},
                "tools": [],
                "tool_count": 0,
            }
        },
    },
    "servers_tools": {
        "answers": {
            "200": {
                "results": [NOW, CONVERT],
                "next": None,
                "total": 2,
                "changed": 0,
                "listed_at": "2026-11-22T01:54:23.170Z",
                "left_out": [],
            }
        }
    },
    "servers_tool_names": {
        "answers": {
            "200": {
                "results": [
                    {
                        "name": "get_current_time",
                        "title": "",
                        "description": "Get current time in a specific timezone",
                        "parameters": 1,
                        "policy": "auto",
                        "risk": {"level": "LOW", "reasons": []},
                        "changed": False,
                        "gone": False,
                    }
                ],
                "next": None,
            }
        }
    },
    "tools_get": {"answers": {"200": NOW}},
    "tools_update": {
        "asks": {
            "Ask every time": {"policy": "ask", "risk": "HIGH"},
            "By the rules again": {"policy": None, "risk": None},
            "Two people must approve": {"policy": "ask", "approvers": "two_people"},
        },
        "answers": {
            "200": {
                **NOW,
                "name": "convert_time",
                "description": "Convert time between timezones",
                "input_schema": {
                    "type": "object",
                    "properties": {
                        "source_timezone": {
                            "type": "string",
                            "description": "Source IANA timezone name (e.g., 'America/New_York', 'Europe/London')",
                        },
                        "time": {"type": "string", "description": "Time to convert in 24-hour format (HH:MM)"},
                        "target_timezone": {
                            "type": "string",
                            "description": "Target IANA timezone name (e.g., 'Asia/Tokyo', 'America/San_Francisco')",
                        },
                    },
                    "required": ["source_timezone", "time", "target_timezone"],
                    "title": "convert_timeArguments",
                },
                "output_schema": {"type": "object"},
                "policy": "ask",
                "risk": {"level": "HIGH", "reasons": ["An admin set this risk level."]},
                "overrides": {"policy": "ask", "risk": "HIGH", "effect": None},
            }
        },
    },
    "tools_accept": {
        "answers": {
            "200": {
                **NOW,
                "name": "convert_time",
                "description": "Convert time between timezones",
                "input_schema": {
                    "type": "object",
                    "properties": {
                        "source_timezone": {
                            "type": "string",
                            "description": "Source IANA timezone name (e.g., 'America/New_York', 'Europe/London')",
                        },
                        "time": {"type": "string", "description": "Time to convert in 24-hour format (HH:MM)"},
                        "target_timezone": {
                            "type": "string",
                            "description": "Target IANA timezone name (e.g., 'Asia/Tokyo', 'America/San_Francisco')",
                        },
                    },
                    "required": ["source_timezone", "time", "target_timezone"],
                    "title": "convert_timeArguments",
                },
                "output_schema": {"type": "object"},
                "pinned_at": "2026-11-22T01:54:23.170Z",
            }
        }
    },
    "servers_resources": {
        "answers": {
            "200": {
                "results": [
                    {
                        "uri": "demo://cities",
                        "name": "cities",
                        "title": "Cities",
                        "description": "The cities that the weather tool knows.",
                        "mime_type": "text/plain",
                        "size": None,
                    }
                ],
                "templates": [],
                "next": None,
            }
        }
    },
    "servers_prompts": {
        "answers": {
            "200": {
                "results": [
                    {
                        "name": "trip_plan",
                        "title": "Trip plan",
                        "description": "A prompt that asks for a plan of one day.",
                        "arguments": [{"name": "city", "description": None, "required": True}],
                    }
                ],
                "next": None,
            }
        }
    },
    "servers_workflows": {
        "answers": {
            "200": {
                "results": [
                    {
                        "id": "wf_01m80fcewk88nh8nszregrz7nw",
                        "name": "What time is it there?",
                        "slug": "what-time-is-it-there",
                        "published_version": None,
                    }
                ],
                "next": None,
            }
        }
    },
    "tools_call": {
        "asks": {
            "What time it is": {"server": "time", "tool": "get_current_time", "arguments": {"timezone": "Europe/Oslo"}},
            "Also where the gate would ask": {
                "server": "time",
                "tool": "get_current_time",
                "arguments": {"timezone": "Europe/Oslo"},
                "confirm": True,
            },
        },
        "answers": {
            "200": {
                "content": [
                    {
                        "type": "text",
                        "text": (
                            '{\n  "timezone": "Europe/Oslo",\n  "datetime": "2026-11-22T02:54:26+01:00",\n  '
                            '"day_of_week": "Sunday",\n  "is_dst": false\n}'
                        ),
                    }
                ],
                "structured": {
                    "timezone": "Europe/Oslo",
                    "datetime": "2026-11-22T02:54:26+01:00",
                    "day_of_week": "Sunday",
                    "is_dst": False,
                },
                "text": (
                    '{\n  "timezone": "Europe/Oslo",\n  "datetime": "2026-11-22T02:54:26+01:00",\n  '
                    '"day_of_week": "Sunday",\n  "is_dst": false\n}'
                ),
                "is_error": False,
                "ms": 9.652,
                "messages": [
                    {
                        "at_ms": 3.4,
                        "direction": "out",
                        "message": {
                            "jsonrpc": "2.0",
                            "id": 4,
                            "method": "tools/call",
                            "params": {
                                "_meta": {
                                    "patchbay/idempotencyKey": "direct:5c4e7d41c5b6461381206ad261e02e77",
                                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                    "io.modelcontextprotocol/clientInfo": {"name": "patchbay", "version": "0.1.0"},
                                    "io.modelcontextprotocol/clientCapabilities": {
                                        "elicitation": {"form": {}, "url": {}}
                                    },
                                    "progressToken": 4,
                                },
                                "name": "get_current_time",
                                "arguments": {"timezone": "Europe/Oslo"},
                            },
                        },
                    }
                ],
            }
        },
    },
    "presets_list": {
        "answers": {
            "200": {
                "results": [
                    {
                        "id": "modelscope-fetch",
                        "kind": "modelscope",
                        "name": {"en": "Fetch", "zh": "网页内容抓取"},
                        "description": {
                            "en": "Fetches a web page and turns it into Markdown.",
                            "zh": "抓取网页内容并转换为 Markdown 格式。",
                        },
                        "transport": "http",
                        "modelscope_id": "@modelcontextprotocol/fetch",
                        "page": "https://modelscope.cn/mcp/servers/@modelcontextprotocol/fetch",
                        "secrets": [
                            {
                                "name": "URL",
                                "label": {"en": "Your server's URL", "zh": "您的服务器地址"},
                                "in": "url",
                                "required": True,
                                "placeholder": "https://mcp.api-inference.modelscope.net/…/mcp",
                            }
                        ],
                        "inputs": [],
                        "tools": ["fetch"],
                        "available": True,
                    },
                    {
                        "id": "time",
                        "kind": "reference",
                        "name": {"en": "Time", "zh": "时间"},
                        "description": {
                            "en": "Current time and conversion between time zones. Comes with Patchbay.",
                            "zh": "查询当前时间并在时区之间换算。随 Patchbay 安装。",
                        },
                        "transport": "stdio",
                        "command": "/opt/patchbay/.venv/bin/python",
                        "args": ["-m", "mcp_server_time", "--local-timezone", "UTC"],
                        "page": "https://github.com/modelcontextprotocol/servers/tree/main/src/time",
                        "secrets": [],
                        "inputs": [],
                        "tools": ["get_current_time", "convert_time"],
                        "available": True,
                    },
                ],
                "next": None,
            }
        }
    },
    "servers_import": {
        "asks": {
            "mcpServers": {
                "config": {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}, "broken": {}}}
            },
            "Only look": {
                "config": {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}, "broken": {}}},
                "preview": True,
            },
        },
        "answers": {
            "200": {
                "created": [
                    {
                        **SEARCH,
                        "id": "srv_01m80fcef8wvndgmxtmhmjv7bc",
                        "name": "git",
                        "slug": "git",
                        "transport": "stdio",
                        "url": "",
                        "command": "uvx",
                        "args": ["mcp-server-git"],
                        "auth_type": "none",
                        "api_key_set": False,
                        "api_key_hint": "",
                        "trust_annotations": True,
                        "created_at": "2026-11-22T01:54:26.410Z",
                        "updated_at": "2026-11-22T01:54:26.410Z",
                    }
                ],
                "skipped": [{"name": "broken", "reason": "The entry has neither a command nor a URL."}],
                "found": [
                    {
                        "name": "git",
                        "transport": "stdio",
                        "target": "uvx mcp-server-git",
                        "secrets": [],
                        "missing": [],
                        "questions": [],
                        "denied": [],
                        "allowed": None,
                        "notes": [],
                        "alternative": False,
                    }
                ],
                "dialect": "mcpServers",
            }
        },
    },
    "declarations_list": {"answers": {"200": {"results": [DECLARATION], "next": None}}},
    "declarations_approve": {
        "answers": {
            "200": {
                **DECLARATION,
                "state": "approved",
                "decided_by": "adam@example.org",
                "decided_at": "2026-11-22T01:54:26.821Z",
            }
        }
    },
    "declarations_package_look": {"answers": {"200": DECLARED_PACKAGE}},
    "declarations_package_update": {
        "asks": {"The version that is offered": {"version": "2026.10.19"}},
        "answers": {"200": {**DECLARED_PACKAGE, "package": UPDATED["package"]}},
    },
    "servers_off": {"answers": {"200": {"servers": [OFF]}}},
    "servers_off_set": {"asks": {"Switch one off": {"servers": ["search"]}}, "answers": {"200": {"servers": [OFF]}}},
    "declarations_reject": {
        "answers": {
            "200": {
                **DECLARATION,
                "state": "rejected",
                "decided_by": "adam@example.org",
                "decided_at": "2026-11-22T01:54:26.824Z",
            }
        }
    },
    **OPERATORS,
}
