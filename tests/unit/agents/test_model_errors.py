"""What models are told of errors is stored: a replay asks what was asked before, letter by letter."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from backend.agents.model_errors import model_message
from backend.errors import McpInvalidParams
from backend.errors.catalogue import catalogue

STORED = json.loads((files("backend.agents") / "prompts" / "errors.json").read_text(encoding="utf-8"))


def test_a_model_is_told_what_runs_of_earlier_versions_were_told() -> None:
    error = McpInvalidParams()
    assert model_message(error, "en") == "The arguments do not fit the tool's schema."
    assert model_message(error, "zh-CN") == "参数不符合工具的模式。"
    assert error.text("en")[0] != model_message(error, "en"), "the sentence for people was edited since"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_code_has_its_sentence_for_models(language: str) -> None:
    missing = [code for code in catalogue() if not code.startswith("FIELD.") and language not in STORED.get(code, {})]
    assert missing == [], "add the sentences as they are now to backend/agents/prompts/errors.json; they stay"
