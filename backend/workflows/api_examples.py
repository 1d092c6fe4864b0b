"""Examples of the workflows' operations, as the API answered them."""

from __future__ import annotations

from typing import Any

GRAPH: dict[str, Any] = {
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
            "config": {"template": "Good day, {{ start.name }}"},
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
        {"id": "start_out_greet", "source": "start", "source_port": "out", "target": "greet", "target_port": "in"},
        {"id": "greet_out_end", "source": "greet", "source_port": "out", "target": "end", "target_port": "in"},
    ],
}
GREETING: dict[str, Any] = {
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
        {"id": "start_out_greet", "source": "start", "source_port": "out", "target": "greet", "target_port": "in"},
        {"id": "greet_out_end", "source": "greet", "source_port": "out", "target": "end", "target_port": "in"},
    ],
}
SUMMARY: dict[str, Any] = {
    "id": "wf_01m80fcefqaczgfh54np4a47n5",
    "name": "Greeting",
    "slug": "greeting",
    "description": "",
    "draft": {"revision": 3, "by": "bob@example.org", "at": "2026-11-22T01:54:26.472Z"},
    "published_version": 1,
    "expose_as_tool": False,
    "node_count": 3,
    "problem_count": 0,
    "servers": [],
    "created_by": "usr_01m80fc7yjdkf03whnbmzgx7v8",
    "created_at": "2026-11-22T01:54:26.423Z",
    "updated_at": "2026-11-22T01:54:26.472Z",
}
WORKFLOW: dict[str, Any] = {
    **SUMMARY,
    "draft": {"revision": 3, "by": "bob@example.org", "at": "2026-11-22T01:54:26.472Z", "graph": GRAPH},
}
VERSION: dict[str, Any] = {
    "version": 1,
    "note": "The first one.",
    "published_at": "2026-11-22T01:54:26.465Z",
    "published_by": "bob@example.org",
}

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "workflows_list": {"answers": {"200": {"results": [SUMMARY], "next": None}}},
    "workflows_create": {
        "asks": {
            "By name": {"name": "Greeting"},
            "With its graph": {"name": "Greeting", "graph": GREETING},
            "From a template": {"template": "research-and-report", "uses": {"fetch": "fetch", "provider": "ollama"}},
            "Over a folder": {"template": "work-on-files", "uses": {"filesystem": "documents"}},
        },
        "answers": {
            "201": {
                **SUMMARY,
                "draft": {
                    "revision": 1,
                    "by": "bob@example.org",
                    "at": "2026-11-22T01:54:26.423Z",
                    "graph": {"schema": 1, "language": "en", "nodes": [], "edges": [], "annotations": []},
                },
                "published_version": None,
                "node_count": 0,
                "problem_count": 1,
                "updated_at": "2026-11-22T01:54:26.423Z",
            }
        },
    },
    "workflows_get": {"answers": {"200": WORKFLOW}},
    "workflows_update": {
        "asks": {"Offer it as a tool": {"description": "Greets.", "expose_as_tool": True}},
        "answers": {
            "200": {
                **WORKFLOW,
                "description": "Greets.",
                "expose_as_tool": True,
                "updated_at": "2026-11-22T01:54:26.481Z",
            }
        },
    },
    "workflows_duplicate": {
        "asks": {"With a name": {"name": "Greeting, formal"}},
        "answers": {
            "201": {
                "id": "wf_01m80fcehnf1dycm21cdktjvq6",
                "name": "Greeting, formal",
                "slug": "greeting-formal",
                "description": "Greets.",
                "draft": {"revision": 1, "by": "bob@example.org", "at": "2026-11-22T01:54:26.485Z", "graph": GRAPH},
                "published_version": None,
                "expose_as_tool": False,
                "node_count": 3,
                "problem_count": 0,
                "servers": [],
                "created_by": "usr_01m80fc7yjdkf03whnbmzgx7v8",
                "created_at": "2026-11-22T01:54:26.485Z",
                "updated_at": "2026-11-22T01:54:26.485Z",
            }
        },
    },
    "workflows_save_draft": {
        "asks": {"A draft": {"revision": 1, "graph": GREETING}},
        "answers": {"200": {"revision": 2, "problems": []}},
    },
    "workflows_drafts": {
        "answers": {
            "200": {
                "results": [
                    {"revision": 3, "by": "bob@example.org", "at": "2026-11-22T01:54:26.472Z", "current": True},
                    {"revision": 2, "by": "bob@example.org", "at": "2026-11-22T01:54:26.433Z", "current": False},
                    {"revision": 1, "by": "bob@example.org", "at": "2026-11-22T01:54:26.423Z", "current": False},
                ],
                "next": None,
            }
        }
    },
    "workflows_draft": {
        "answers": {
            "200": {
                "revision": 2,
                "by": "bob@example.org",
                "at": "2026-11-22T01:54:26.433Z",
                "current": False,
                "graph": GREETING,
            }
        }
    },
    "workflows_restore_draft": {"answers": {"200": {"revision": 4, "problems": []}}},
    "workflows_validate": {
        "asks": {
            "A graph": {
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
                        }
                    ],
                }
            },
            "The draft": {},
        },
        "answers": {
            "200": {
                "ok": True,
                "problems": [
                    {
                        "code": "unreached",
                        "severity": "warning",
                        "path": "/nodes/2",
                        "node": "end",
                        "message": "This node is not reachable from the start node, so it does not run.",
                        "hint": "Connect it, or delete it.",
                        "params": {},
                    },
                    {
                        "code": "reference_later",
                        "severity": "warning",
                        "path": "/nodes/2/config/outputs/text",
                        "node": "end",
                        "message": "greet does not run before this node.",
                        "hint": "Connect it upstream of this node.",
                        "params": {"name": "greet"},
                    },
                ],
            }
        },
    },
    "workflows_publish": {"asks": {"With a note": {"note": "The first one."}}, "answers": {"201": VERSION}},
    "workflows_versions": {"answers": {"200": {"results": [VERSION], "next": None}}},
    "workflows_version": {
        "answers": {
            "200": {
                "version": 1,
                "note": "The first one.",
                "published_at": "2026-11-22T01:54:26.465Z",
                "published_by": "bob@example.org",
                "graph": GREETING,
            }
        }
    },
    "workflows_compare": {
        "answers": {
            "200": {
                "from": "1",
                "to": "draft",
                "nodes": {
                    "added": [],
                    "removed": [],
                    "changed": [
                        {
                            "id": "greet",
                            "fields": ["config"],
                            "before": {
                                "id": "greet",
                                "type": "template",
                                "v": 1,
                                "position": {"x": 0, "y": 0},
                                "config": {"template": "Hello {{ start.name }}"},
                            },
                            "after": {
                                "id": "greet",
                                "type": "template",
                                "v": 1,
                                "position": {"x": 0, "y": 0},
                                "config": {"template": "Good day, {{ start.name }}"},
                            },
                        }
                    ],
                    "moved": [],
                },
                "edges": {"added": [], "removed": [], "changed": []},
                "document": [],
            }
        }
    },
    "workflows_export": {
        "answers": {
            "200": GRAPH,
            "200 application/yaml": (
                "schema: 1\nlanguage: en\nnodes:\n  - id: start\n    type: start\n    v: 1\n    "
                'position:\n      x: 0\n      "y": 0\n    config:\n      inputs:\n        type: '
                "object\n        properties:\n          name:\n            type: string\n  - id: "
                'greet\n    type: template\n    v: 1\n    position:\n      x: 0\n      "y": 0\n    '
                'config:\n      template: "Good day, {{ start.name }}"\n  - id: end\n    type: '
                'end\n    v: 1\n    position:\n      x: 0\n      "y": 0\n    config:\n      '
                'outputs:\n        text: "{{ greet.text }}"\nedges:\n  - id: start_out_greet\n    '
                "source: start\n    source_port: out\n    target: greet\n    target_port: in\n  - "
                "id: greet_out_end\n    source: greet\n    source_port: out\n    target: end\n    "
                "target_port: in\n"
            ),
        }
    },
    "workflows_import": {
        "asks": {
            "A graph": {"name": "Imported", "graph": GREETING},
            "The text of a file": {
                "name": "Imported",
                "format": "yaml",
                "text": "schema: 1\nnodes:\n  - {id: start, type: start}\nedges: []\n",
            },
        },
        "answers": {
            "201": {
                "id": "wf_01m80fcejsbx9pvbeg44ah40qz",
                "name": "Imported",
                "slug": "imported",
                "description": "",
                "draft": {"revision": 1, "by": "bob@example.org", "at": "2026-11-22T01:54:26.520Z", "graph": GREETING},
                "published_version": None,
                "expose_as_tool": False,
                "node_count": 3,
                "problem_count": 0,
                "servers": [],
                "created_by": "usr_01m80fc7yjdkf03whnbmzgx7v8",
                "created_at": "2026-11-22T01:54:26.521Z",
                "updated_at": "2026-11-22T01:54:26.521Z",
                "problems": [],
            }
        },
    },
    "node_types": {
        "answers": {
            "200": {
                "results": [
                    {
                        "type": "template",
                        "v": 1,
                        "group": "data",
                        "title": "Template",
                        "description": "Builds a text from values.",
                        "config_schema": {
                            "properties": {
                                "template": {
                                    "description": "Text in which {{ node.value }} is replaced.",
                                    "title": "Template",
                                    "type": "string",
                                    "x-expression": True,
                                    "x-multiline": True,
                                }
                            },
                            "required": ["template"],
                            "type": "object",
                        },
                        "output_schema": {
                            "type": "object",
                            "properties": {"text": {"type": "string", "title": "Text"}},
                            "additionalProperties": False,
                        },
                        "ports": {"in": ["in"], "out": ["out"]},
                        "dynamic_ports": False,
                        "effect": "pure",
                    }
                ],
                "next": None,
            }
        }
    },
    "workflow_templates_list": {
        "answers": {
            "200": {
                "results": [
                    {
                        "id": "research-and-report",
                        "name": "Research and report",
                        "description": (
                            "Reads a page, lets an agent follow up on what matters, and answers with its sources."
                        ),
                        "needs": [
                            {"name": "fetch", "kind": "server", "preset": "fetch"},
                            {"name": "model", "kind": "model", "preset": ""},
                        ],
                    }
                ],
                "next": None,
            }
        }
    },
    "graph_schema": {
        "answers": {
            "200": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$id": "urn:patchbay:graph:1",
                "title": "Patchbay workflow document",
                "description": (
                    "A graph of nodes and edges, with variables, environment and servers of its own. "
                    "Unknown keys are kept."
                ),
                "type": "object",
                "required": ["schema"],
            }
        }
    },
}
