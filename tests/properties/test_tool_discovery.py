"""Seed property 3: every tool that a server lists is kept whole; changes show, nothing vanishes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.registry.models import Server
from backend.registry.tools.definitions import definition_of, hash_of
from backend.registry.tools.listing import record_listing
from backend.tools.types import ToolSpec
from tests.people import Person

pytestmark = [pytest.mark.wide, pytest.mark.django_db]

TEXT = st.text(max_size=40).filter(lambda text: "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text))
TYPES = st.sampled_from(["string", "number", "integer", "boolean", "object", "array"])
PROPERTY = st.fixed_dictionaries({"type": TYPES}, optional={"description": TEXT, "title": TEXT})
SCHEMA = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(TEXT.filter(bool), PROPERTY, max_size=4)}
)
HINTS = st.dictionaries(st.sampled_from(["readOnlyHint", "destructiveHint", "idempotentHint"]), st.booleans())
SPEC = st.builds(
    ToolSpec,
    server=st.just("it"),
    name=TEXT.filter(bool),
    description=TEXT,
    title=TEXT,
    input_schema=SCHEMA,
    output_schema=st.one_of(st.none(), SCHEMA),
    annotations=HINTS,
)
LISTING = st.lists(SPEC, max_size=8, unique_by=lambda spec: spec.name)
KEEP = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def server_of(person: Person) -> Server:
    return Server.objects.create(team=person.team, name="it", slug="it", transport="http", url="https://it.example")


def shown(person: Person) -> list[dict[str, Any]]:
    return list(person.api.get("/api/mcp/servers/it/tools").data["results"])


@settings(max_examples=100, deadline=None, suppress_health_check=KEEP)
@given(LISTING)
def test_property_3_all_tools_are_found_with_name_description_and_schema(vera: Person, specs: list[ToolSpec]) -> None:
    Server.objects.all().delete()
    server = server_of(vera)
    assert record_listing(server.id, server.revision, specs)
    tools = shown(vera)
    assert [tool["name"] for tool in tools] == [spec.name for spec in specs]
    for tool, spec in zip(tools, specs, strict=True):
        about = ("title", "description", "input_schema", "output_schema", "annotations")
        assert {key: tool[key] for key in about} == {key: getattr(spec, key) for key in about}
        assert tool["changed"] is False and tool["gone"] is False and tool["server"] == "it"


@settings(max_examples=100, deadline=None, suppress_health_check=KEEP)
@given(LISTING, LISTING)
def test_property_3_a_second_listing_marks_exactly_what_changed_and_went(
    vera: Person, first: list[ToolSpec], second: list[ToolSpec]
) -> None:
    Server.objects.all().delete()
    server = server_of(vera)
    record_listing(server.id, server.revision, first)
    record_listing(server.id, server.revision, second)
    before = {spec.name: hash_of(definition_of(spec)) for spec in first}
    after = {spec.name: hash_of(definition_of(spec)) for spec in second}
    for tool in shown(vera):
        name = tool["name"]
        assert tool["gone"] is (name not in after)
        assert tool["changed"] is (name in before and name in after and before[name] != after[name])
    assert {tool["name"] for tool in shown(vera)} == set(before) | set(after)
