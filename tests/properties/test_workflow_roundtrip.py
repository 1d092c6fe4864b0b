"""Seed property 6: what is saved is what is read: drafts, exports and imports give back the same JSON value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.web.bodies import parse_json
from backend.workflows.documents import text_of
from backend.workflows.yaml_text import from_yaml, to_yaml
from tests.people import Person

pytestmark = [pytest.mark.wide, pytest.mark.django_db]

TEXT = st.one_of(
    st.text(st.characters(codec=None, min_codepoint=0), max_size=30),  # NUL, controls and lone surrogates too
    st.sampled_from(
        [
            *(
                "true",
                "null",
                "~",
                "1",
                "0x1f",
                "1e3",
                ".5",
                "-",
                "- a",
                "a: b",
                "a #b",
                "#",
                "|",
                ">",
                "&a",
                "*a",
                "!x",
            ),
            *(
                "yes",
                "no",
                "2024-01-01",
                "=",
                "<<",
                "{{ a.b }}",
                "'",
                '"',
                "\\",
                " a",
                "a ",
                "a\nb",
                "a\n",
                "\n",
                "\ufeff",
            ),
            *(
                "a\n\nb\n",
                "a\n b",
                " a\nb",
                "a\r\nb",
                "\u2028",
                "\x85",
                "\u0000",
                "?",
                "a:",
                "[",
                "]",
                "{",
                ",",
                "%",
                "@",
            ),
        ]
    ),
)
NUMBER = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
SCALAR = st.one_of(st.none(), st.booleans(), NUMBER, TEXT)
JSON = st.recursive(
    SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=25,
)
TOOL_NODE = st.fixed_dictionaries(
    {
        "id": st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True),
        "type": st.just("tool"),
        "v": st.just(1),
        "position": st.fixed_dictionaries({"x": NUMBER, "y": NUMBER}),
        "config": st.fixed_dictionaries(
            {"server": TEXT, "tool": TEXT, "arguments": st.dictionaries(TEXT, JSON, max_size=3)}
        ),
    },
    optional={"title": TEXT, "pinned": JSON, "on_error": st.sampled_from(["fail", "continue", "port"])},
)
EDGE = st.fixed_dictionaries(
    {"id": TEXT, "source": TEXT, "source_port": TEXT, "target": TEXT, "target_port": TEXT}, optional={"note": JSON}
)
DOCUMENT = st.fixed_dictionaries(
    {"schema": st.just(1), "nodes": st.lists(TOOL_NODE, max_size=4), "edges": st.lists(EDGE, max_size=4)},
    optional={"mcp_servers": st.dictionaries(TEXT, JSON, max_size=2), "variables": JSON, "extra": JSON, "env": JSON},
)
KEEP = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


def exact(value: Any) -> str:
    """A JSON value as text that tells 1 from 1.0 and true, and one order of keys from another."""
    return json.dumps(value)


@settings(max_examples=150, deadline=None, suppress_health_check=KEEP)
@given(DOCUMENT)
def test_property_6_a_saved_document_is_read_back_as_it_was(bob: Person, document: dict[str, Any]) -> None:
    created = bob.api.post("/api/workflows", {"name": "one"}).data
    at = f"/api/workflows/{created['id']}"
    saved = bob.api.put(f"{at}/draft", {"revision": 1, "graph": document})
    assert saved.status == 200, saved.text
    assert exact(bob.api.get(at).data["draft"]["graph"]) == exact(document)
    assert exact(json.loads(bob.api.get(f"{at}/export?format=json").text)) == exact(document)
    assert exact(bob.api.get(f"{at}/drafts/{saved.data['revision']}").data["graph"]) == exact(document)


@settings(max_examples=400, deadline=None, suppress_health_check=KEEP)
@given(st.one_of(DOCUMENT, JSON))
def test_property_6_yaml_carries_every_json_value_there_and_back(document: Any) -> None:
    assert exact(from_yaml(to_yaml(document))) == exact(document)


@settings(max_examples=100, deadline=None, suppress_health_check=KEEP)
@given(DOCUMENT)
def test_property_6_an_import_of_an_export_is_the_same_document(bob: Person, document: dict[str, Any]) -> None:
    created = bob.api.post("/api/workflows/import", {"name": "one", "graph": document})
    assert created.status == 201, created.text
    text = bob.api.get(f"/api/workflows/{created.data['workflow']['id']}/export?format=yaml").text
    again = bob.api.post("/api/workflows/import", {"name": "two", "text": text})
    assert again.status == 201, again.text
    assert exact(again.data["workflow"]["draft"]["graph"]) == exact(document)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(TEXT, JSON, max_size=5))
def test_the_stored_text_is_ascii_and_means_the_same(document: dict[str, Any]) -> None:
    text = text_of(document)
    assert text.isascii() and "\x00" not in text
    assert exact(parse_json(text)) == exact(document)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_as_yaml_is_read_or_refused(text: str) -> None:
    from backend.errors import ValidationFailed

    try:
        value = from_yaml(text)
    except ValidationFailed as refused:
        assert refused.fields["text"]
    else:
        json.dumps(value, allow_nan=False)
