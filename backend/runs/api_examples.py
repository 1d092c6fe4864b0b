"""Examples of the runs' operations, as the API answered them."""

from __future__ import annotations

from typing import Any

from backend.workflows.api_examples import SUMMARY

RUN: dict[str, Any] = {
    "id": "run_01m80fcekd7ek5fhg8s677rhbr",
    "workflow": "wf_01m80fcefqaczgfh54np4a47n5",
    "workflow_name": "Greeting",
    "version": 1,
    "draft_revision": None,
    "state": "SUCCESS",
    "inputs": {"name": "Vera"},
    "outputs": {"text": "Hello Vera"},
    "error": None,
    "usage": {"input_tokens": 0, "output_tokens": 0, "cost": 0, "tool_calls": 0, "seconds": 0.004},
    "waiting": [],
    "trigger": "api",
    "started_by": "bob@example.org",
    "parent_run": None,
    "root_run": None,
    "origin_run": None,
    "origin_step": None,
    "origin_node": None,
    "copied_seq": 0,
    "queued_at": "2026-11-22T01:54:26.543Z",
    "started_at": "2026-11-22T01:54:26.563Z",
    "finished_at": "2026-11-22T01:54:26.566Z",
    "last_seq": 12,
}
QUEUED: dict[str, Any] = {
    **RUN,
    "id": "run_01m80fcemgqfdyfhy23jcf6p1x",
    "version": None,
    "draft_revision": 4,
    "state": "QUEUED",
    "outputs": {},
    "queued_at": "2026-11-22T01:54:26.576Z",
    "started_at": None,
    "finished_at": None,
    "last_seq": 1,
}
WAITING: dict[str, Any] = {
    **QUEUED,
    "id": "run_01m80fcena7tpfv3f9qmp5zy8a",
    "workflow": "wf_01m80fcen77cakpp4kte6w6b59",
    "workflow_name": "Sending",
    "draft_revision": 1,
    "state": "WAITING",
    "inputs": {},
    "waiting": [{"kind": "person", "interaction": "int_vb7ajzny1b57wr9923646zsdd4"}],
    "queued_at": "2026-11-22T01:54:26.604Z",
    "started_at": "2026-11-22T01:54:26.608Z",
    "last_seq": 9,
}
QUESTION: dict[str, Any] = {
    "id": "int_vb7ajzny1b57wr9923646zsdd4",
    "run": "run_01m80fcena7tpfv3f9qmp5zy8a",
    "root_run": "run_01m80fcena7tpfv3f9qmp5zy8a",
    "workflow": "wf_01m80fcen77cakpp4kte6w6b59",
    "workflow_name": "Sending",
    "root_workflow_name": "Sending",
    "node": "ok",
    "node_title": "Approval",
    "step": "step_tdmjc2dvk01zsxkmhavb6beswn",
    "kind": "approval",
    "title": "Send it?",
    "cause": None,
    "message": "",
    "tool": None,
    "risk": None,
    "schema": None,
    "proposal": {"to": "team"},
    "called_at": None,
    "mismatch": None,
    "started": {"by": "bob@example.org", "trigger": "manual", "at": "2026-11-22T01:54:26.604Z"},
    "evidence": {"definition": None, "read": []},
    "approval": {"rule": "anyone", "needed": 1, "given": [], "able": []},
    "assignees": [],
    "expires_at": None,
    "on_expire": None,
    "state": "open",
    "answer": None,
    "answered_by": None,
    "answered_at": None,
    "created_at": "2026-11-22T01:54:26.611Z",
}

OUTAGE: dict[str, Any] = {
    "id": "outage_int_01m80fcmq2ebd9y6tqk3v5w7xr",
    "count": 2,
    "first_at": "2026-11-22T01:54:26.611Z",
    "last_at": "2026-11-22T01:54:27.104Z",
    "parts": [
        {
            "workflow": "wf_01m80fcen77cakpp4kte6w6b59",
            "workflow_name": "Sending",
            "server": "mail",
            "tool": "send",
            "title": "mail/send",
            "message": "It is not known whether the call happened.",
            "count": 2,
            "questions": [
                {
                    "id": key,
                    "run": run,
                    "node": "send",
                    "node_title": "Send the digest",
                    "arguments": f"to: team, subject: {subject}",
                    "created_at": at,
                    "called_at": "2026-11-22T01:54:21.480Z",
                }
                for key, run, subject, at in (
                    (
                        "int_01m80fcmq2w8h2r5c4n6e9t1ab",
                        "run_01m80fcena7tpfv3f9qmp5zy8b",
                        "Monday",
                        "2026-11-22T01:54:27.104Z",
                    ),
                    (
                        "int_01m80fcmq2ebd9y6tqk3v5w7xr",
                        "run_01m80fcena7tpfv3f9qmp5zy8a",
                        "Sunday",
                        "2026-11-22T01:54:26.611Z",
                    ),
                )
            ],
        }
    ],
}

_POSITION = {"x": 0, "y": 0}
KEPT: dict[str, Any] = {
    **SUMMARY,
    "published_version": None,
    "servers": ["ledger"],
    "id": "wf_01m80hq2x4f7s0v7n1d3k9w5ce",
    "name": "Bills: Pay the bill",
    "slug": "bills-pay-the-bill",
    "description": "",
    "draft": {
        "revision": 1,
        "by": "bob@example.org",
        "at": "2026-11-22T01:54:26.423Z",
        "graph": {
            "schema": 1,
            "language": "en",
            "nodes": [
                {"id": "start", "type": "start", "v": 1, "position": _POSITION, "config": {"inputs": {}}},
                {
                    "id": "look",
                    "type": "tool",
                    "v": 1,
                    "title": "Look up the bill.",
                    "position": {"x": 228, "y": 0},
                    "config": {"server": "ledger", "tool": "look", "arguments": {"name": "{{ start.bill }}"}},
                },
                {
                    "id": "end",
                    "type": "end",
                    "v": 1,
                    "position": {"x": 456, "y": 0},
                    "config": {"outputs": {"result": "{{ look.result }}"}},
                },
            ],
            "edges": [
                {"id": "e1", "source": "start", "source_port": "out", "target": "look", "target_port": "in"},
                {"id": "e2", "source": "look", "source_port": "out", "target": "end", "target_port": "in"},
            ],
            "annotations": [],
        },
    },
}
FORKED: dict[str, Any] = {
    **QUEUED,
    "id": "run_01m8147wwm2p1x9c4n6v0b3f5h",
    "version": 1,
    "draft_revision": None,
    "trigger": "fork",
    "origin_run": "run_01m80fcekd7ek5fhg8s677rhbr",
    "origin_step": "step_wh8mstmbmr44z2fwf3hzvzz4fd",
    "origin_node": "greet",
    "copied_seq": 4,
    "last_seq": 4,
}
_PREVIEW: dict[str, Any] = {
    "origin_run": "run_01m80fcekd7ek5fhg8s677rhbr",
    "origin_step": "step_wh8mstmbmr44z2fwf3hzvzz4fd",
    "origin_node": "send",
    "kept": [{"node": "start", "title": "", "type": "start"}, {"node": "greet", "title": "Greet", "type": "template"}],
    "runs": [
        {"node": "send", "title": "Send", "type": "tool", "why": "point", "rounds_kept": 0},
        {"node": "end", "title": "", "type": "end", "why": "after", "rounds_kept": 0},
    ],
    "inside": [],
    "below": [],
    "writes": [
        {
            "node": "send",
            "run": "run_01m80fcekd7ek5fhg8s677rhbr",
            "step": "step_wh8mstmbmr44z2fwf3hzvzz4fd",
            "server": "mail",
            "tool": "send_mail",
            "arguments": {"to": "team@example.org", "text": "Hello Vera"},
            "at": "2026-11-22T01:54:26.565Z",
            "effect": "write",
            "outcome": "done",
        }
    ],
    "writes_total": 1,
}
AMOUNTS: dict[str, Any] = {
    "runs": 0,
    "failed": 0,
    "cancelled": 0,
    "rounds": 118,
    "input_tokens": 240_318,
    "output_tokens": 31_020,
    "cost": 1.0712,
    "tool_calls": 0,
}

_TESTED: dict[str, Any] = {
    "ok": False,
    "state": "SUCCESS",
    "version": None,
    "at": "2026-11-22T02:10:07.512Z",
    "ms": 9,
    "nodes": [
        {
            "node": "start",
            "title": "",
            "type": "start",
            "status": "same",
            "expected": {"output": {"name": "Vera"}},
            "got": {"output": {"name": "Vera"}},
            "missing": [],
        },
        {
            "node": "greet",
            "title": "Greet",
            "type": "template",
            "status": "differs",
            "expected": {"output": {"text": "Hello Vera"}},
            "got": {"output": {"text": "Dear Vera"}},
            "missing": [],
        },
    ],
}
_TEST: dict[str, Any] = {
    "id": "test_01m8149x4f7s0v7n1d3k9w5ce2",
    "name": "Greets Vera",
    "run": "run_01m80fcekd7ek5fhg8s677rhbr",
    "inputs": {"name": "Vera"},
    "created_by": "bob@example.org",
    "created_at": "2026-11-22T02:04:26.423Z",
    "result": None,
}
_RESTORED: dict[str, Any] = {
    "run": "run_01m80fcena7tpfv3f9qmp5zy8a",
    "workflow": "wf_01m80fcen77cakpp4kte6w6b59",
    "workflow_name": "Sending",
    "started_by": "bob@example.org",
    "queued_at": "2026-11-22T01:54:26.604Z",
    "restored_from": "2026-11-22T02:00:00.000Z",
    "was_paused": False,
    "writes": [
        {
            "run": "run_01m80fcena7tpfv3f9qmp5zy8a",
            "workflow": "",
            "node": "send",
            "title": "Send it",
            "server": "mail",
            "tools": ["send"],
            "how": "ahead",
            "arguments": None,
            "at": None,
        }
    ],
    "writes_total": 1,
}

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "workflow_tests_list": {"answers": {"200": {"results": [{**_TEST, "result": _TESTED}], "next": None}}},
    "workflow_tests_create": {
        "asks": {"A run that ended": {"run": "run_01m80fcekd7ek5fhg8s677rhbr", "name": "Greets Vera"}},
        "answers": {"201": _TEST},
    },
    "workflow_tests_run": {
        "asks": {"With the draft": {}, "With a version": {"version": 2}},
        "answers": {"200": _TESTED},
    },
    "runs_restored": {"answers": {"200": _RESTORED}},
    "restored_runs_list": {"answers": {"200": {"results": [_RESTORED], "total": 1}}},
    "restored_runs_resume": {
        "asks": {"These": {"runs": ["run_01m80fcena7tpfv3f9qmp5zy8a"]}, "All": {}},
        "answers": {"202": {"resumed": ["run_01m80fcena7tpfv3f9qmp5zy8a"]}},
    },
    "runs_retry": {
        "asks": {"Run it": {}, "See first what would run again": {"dry_run": True}},
        "answers": {"200": _PREVIEW, "201": {**FORKED, "trigger": "retry"}},
    },
    "runs_fork": {
        "asks": {
            "From a step": {"step": "step_wh8mstmbmr44z2fwf3hzvzz4fd"},
            "From the start with other inputs": {"step": "start", "inputs": {"name": "Charlie"}},
            "See first what would run again": {"step": "greet", "dry_run": True},
        },
        "answers": {"200": _PREVIEW, "201": FORKED},
    },
    "runs_start": {
        "asks": {
            "Run the published version and wait for its end": {"inputs": {"name": "Vera"}, "wait": 10},
            "Run the draft": {"inputs": {"name": "Vera"}, "version": "draft"},
        },
        "answers": {"200": RUN, "202": QUEUED},
    },
    "runs_list": {"answers": {"200": {"results": [RUN], "next": None}}},
    "runs_get": {
        "answers": {
            "200": {
                **RUN,
                "children": [],
                "children_count": 0,
                "children_next": None,
                "graph": {
                    "schema": 1,
                    "language": "en",
                    "nodes": [
                        {
                            "id": "start",
                            "type": "start",
                            "v": 1,
                            "position": {"x": 0, "y": 0},
                            "config": {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}},
                        },
                        {
                            "id": "greet",
                            "type": "template",
                            "v": 1,
                            "position": {"x": 0, "y": 0},
                            "config": {"template": "Hello {{ start.name }}"},
                        },
                        {
                            "id": "end",
                            "type": "end",
                            "v": 1,
                            "position": {"x": 0, "y": 0},
                            "config": {"outputs": {"text": "{{ greet.text }}"}},
                        },
                    ],
                    "edges": [
                        {
                            "id": "start_out_greet",
                            "source": "start",
                            "source_port": "out",
                            "target": "greet",
                            "target_port": "in",
                        },
                        {
                            "id": "greet_out_end",
                            "source": "greet",
                            "source_port": "out",
                            "target": "end",
                            "target_port": "in",
                        },
                    ],
                },
            }
        }
    },
    "runs_events": {
        "answers": {
            "200": {
                "results": [
                    {
                        "run": "run_01m80fcekd7ek5fhg8s677rhbr",
                        "seq": 1,
                        "ts": "2026-11-22T01:54:26.543Z",
                        "type": "FLOW_QUEUED",
                        "node": None,
                        "path": [],
                        "step": None,
                        "data": {},
                    },
                    {
                        "run": "run_01m80fcekd7ek5fhg8s677rhbr",
                        "seq": 2,
                        "ts": "2026-11-22T01:54:26.565Z",
                        "type": "FLOW_START",
                        "node": None,
                        "path": [],
                        "step": None,
                        "data": {"inputs": {"name": "Vera"}, "version": 1, "patchbay": "0.1.0"},
                    },
                    {
                        "run": "run_01m80fcekd7ek5fhg8s677rhbr",
                        "seq": 3,
                        "ts": "2026-11-22T01:54:26.565Z",
                        "type": "STEP_INIT",
                        "node": "start",
                        "path": [],
                        "step": "step_dtn6zxjqz8ejq1keekpjcfjnkk",
                        "data": {"attempt": 1},
                    },
                    {
                        "run": "run_01m80fcekd7ek5fhg8s677rhbr",
                        "seq": 4,
                        "ts": "2026-11-22T01:54:26.565Z",
                        "type": "STEP_INPUT",
                        "node": "start",
                        "path": [],
                        "step": "step_dtn6zxjqz8ejq1keekpjcfjnkk",
                        "data": {"input": {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}}},
                    },
                    {
                        "run": "run_01m80fcekd7ek5fhg8s677rhbr",
                        "seq": 5,
                        "ts": "2026-11-22T01:54:26.565Z",
                        "type": "STEP_OUTPUT",
                        "node": "start",
                        "path": [],
                        "step": "step_dtn6zxjqz8ejq1keekpjcfjnkk",
                        "data": {"output": {"name": "Vera"}, "port": "out"},
                    },
                    {
                        "run": "run_01m80fcekd7ek5fhg8s677rhbr",
                        "seq": 6,
                        "ts": "2026-11-22T01:54:26.565Z",
                        "type": "STEP_INIT",
                        "node": "greet",
                        "path": [],
                        "step": "step_wh8mstmbmr44z2fwf3hzvzz4fd",
                        "data": {"attempt": 1},
                    },
                ],
                "next": 6,
            }
        }
    },
    "runs_keep": {"asks": {"A planner's step": {"node": "plan"}}, "answers": {"201": KEPT}},
    "runs_cancel": {"answers": {"202": WAITING}},
    "runs_pause": {"answers": {"202": WAITING}},
    "runs_resume": {
        "answers": {
            "202": {
                **QUEUED,
                "id": "run_01m80fcena7tpfv3f9qmp5zy8a",
                "workflow": "wf_01m80fcen77cakpp4kte6w6b59",
                "workflow_name": "Sending",
                "draft_revision": 1,
                "state": "PAUSED",
                "inputs": {},
                "waiting": [{"kind": "pause"}],
                "queued_at": "2026-11-22T01:54:26.604Z",
                "started_at": "2026-11-22T01:54:26.608Z",
                "last_seq": 11,
            }
        }
    },
    "interactions_list": {"answers": {"200": {"results": [QUESTION], "next": None}}},
    "interactions_answer": {
        "asks": {
            "Approve": {"action": "accept"},
            "Approve with other values": {"action": "accept", "values": {"to": "all"}},
            "Decline": {"action": "decline", "reason": "Not on a Friday."},
        },
        "answers": {
            "200": {
                **QUESTION,
                "state": "answered",
                "answer": {"action": "accept", "values": {"to": "all"}, "reason": "", "remember": "once"},
                "answered_by": "alice@example.org",
                "answered_at": "2026-11-22T01:54:26.717Z",
            }
        },
    },
    "interactions_groups": {"answers": {"200": {"results": [OUTAGE]}}},
    "interactions_answers": {
        "asks": {
            "Call all of them again": {"ids": ["int_01m80fcmq2ebd9y6tqk3v5w7xr"], "action": "retry"},
            "They have happened": {
                "ids": ["int_01m80fcmq2ebd9y6tqk3v5w7xr"],
                "action": "skip",
                "values": {"result": "booked"},
                "reason": "Checked with the booking office.",
            },
        },
        "answers": {
            "200": {"results": [{"id": "int_01m80fcmq2ebd9y6tqk3v5w7xr", "answered": True, "error": None}]},
        },
    },
    "queue": {
        "answers": {
            "200": {
                "limit": 30,
                "running": 30,
                "queued": 4,
                "oldest_s": 12.418,
                "runs": [{"run": "run_01m80fcemgqfdyfhy23jcf6p1x", "position": 3, "server": None, "busy": None}],
                "workers": [
                    {"name": "builder:4711", "running": 16, "capacity": 64, "age_s": 5403.1, "seen_s": 2.2},
                    {"name": "builder:4712", "running": 14, "capacity": 64, "age_s": 5402.8, "seen_s": 1.9},
                ],
            }
        }
    },
    "spending": {
        "answers": {
            "200": {
                "day": "2026-11-22",
                "until": "2026-11-23T00:00:00Z",
                "state": "near",
                "budgets": [
                    {"name": "tokens", "used": 412_000, "limit": 500_000, "share": 0.824, "state": "near"},
                    {"name": "cost", "used": 1.92, "limit": None, "share": None, "state": "ok"},
                ],
                "unpriced": [{"provider": "local", "model": "qwen3:8b", "tokens": 120_400}],
            }
        }
    },
    "usage": {
        "answers": {
            "200": {
                "from": "2026-11-16",
                "to": "2026-11-22",
                "by": "model",
                "total": {**AMOUNTS, "runs": 41, "failed": 2, "tool_calls": 96},
                "results": [{**AMOUNTS, "key": "local/large", "name": "local/large"}],
            }
        }
    },
    "usage_storage": {
        "answers": {
            "200": {
                "database_bytes": 18_579_456,
                "runs": 1204,
                "events": 30_512,
                "oldest_run": "2026-10-24T08:11:02.113Z",
                "blobs": {"count": 310, "bytes": 9_214_553},
                "files": {"count": 6, "bytes": 2_118_400},
                "retention_days": 30,
            }
        }
    },
}
