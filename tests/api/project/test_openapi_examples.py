"""Examples in the OpenAPI document: one for every body and every answer, each as its own schema says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import yaml

WRITTEN = ("application/json", "application/yaml", "multipart/form-data")


def places(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where an operation takes or gives something that can be written down: (where, the media type's object)."""
    bodies = {"asks": operation.get("requestBody", {})} | operation["responses"]
    for where, body in bodies.items():
        for media, about in body.get("content", {}).items():
            if media in WRITTEN and where != "4XX":
                yield f"{operation['operationId']} {where} {media}", about


def every_place(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in document["paths"].values():
        for operation in path.values():
            yield from places(operation)


def values(about: dict[str, Any]) -> list[Any]:
    return [example["value"] for example in about.get("examples", {}).values()]


def test_every_body_and_every_answer_has_an_example(document: dict[str, Any]) -> None:
    missing = [where for where, about in every_place(document) if not values(about)]
    assert missing == [], "write them in backend/project/api_examples, as the API answered"


def test_every_example_is_as_its_schema_says(document: dict[str, Any]) -> None:
    checked = 0
    for where, about in every_place(document):
        schema = {**about["schema"], "components": document["components"]}
        for shown in values(about):
            value = yaml.safe_load(shown) if where.endswith("application/yaml") and isinstance(shown, str) else shown
            try:
                jsonschema.Draft202012Validator(schema).validate(value)
            except jsonschema.ValidationError as wrong:
                pytest.fail(f"{where}: {'/'.join(map(str, wrong.absolute_path))}: {wrong.message}")
            checked += 1
    assert checked > 80


def test_no_example_is_of_an_operation_that_does_not_exist(document: dict[str, Any]) -> None:
    from backend.project.openapi import examples

    known = {operation["operationId"] for path in document["paths"].values() for operation in path.values()}
    assert set(examples()) <= known
