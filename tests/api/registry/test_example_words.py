"""The servers that come along speak the reader's language: their names, their tools and the fields of those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import backend.demo
from backend.registry.models import Server
from tests.people import Person

ZH = {"accept-language": "zh-CN"}


def texts_of(value: Any) -> list[str]:
    """The titles and descriptions in a definition, those of its schemas too."""
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    if not isinstance(value, dict):
        return []
    own = [value[key] for key in ("title", "description") if isinstance(value.get(key), str)]
    return own + [text for item in value.values() for text in texts_of(item)]


def is_shown(text: str) -> bool:
    """Whether a person reads it: what pydantic calls a function's arguments is on no screen."""
    return not text.endswith(("Arguments", "Output", "DictOutput"))


def test_the_example_servers_are_told_in_both_languages(programs: dict[str, Server], bob: Person) -> None:
    at = f"/api/mcp/servers/{programs['demo'].id}"
    assert bob.api.get(at).data["name"] == "Demo"
    shown = bob.api.get(at, **ZH).data
    assert (shown["name"], "展示" in shown["description"]) == ("演示", True)
    Server.objects.filter(pk=programs["demo"].pk).update(name="演示", description="Ours")
    assert bob.api.get(at).data["name"] == "Demo"
    assert bob.api.get(at, **ZH).data["description"] == "Ours"


def test_every_text_of_their_tools_has_its_chinese(included: dict[str, Server], bob: Person) -> None:
    for slug in ("demo", "time"):
        at = f"/api/mcp/servers/{included[slug].id}/tools"
        english = bob.api.get(f"{at}?refresh=1").data["results"]
        chinese = bob.api.get(at, **ZH).data["results"]
        assert [tool["name"] for tool in english] == [tool["name"] for tool in chinese]
        for before, after in zip(english, chinese, strict=True):
            for key in ("title", "description", "input_schema", "output_schema"):
                pairs = zip(texts_of({key: before[key]}), texts_of({key: after[key]}), strict=True)
                same = [text for text, translated in pairs if text and is_shown(text) and text == translated]
                assert same == [], (slug, before["name"], key)
            assert list(before["input_schema"]["properties"]) == list(after["input_schema"]["properties"])
            assert before["effect"] == after["effect"]


def test_the_lists_to_choose_from_too_and_a_foreign_tool_as_it_stands(programs: dict[str, Server], bob: Person) -> None:
    at = f"/api/mcp/servers/{programs['demo'].id}/tools?refresh=1"
    bob.api.get(at)
    names = f"/api/mcp/servers/{programs['demo'].id}/tool-names"
    matches = {tool["name"]: tool for tool in bob.api.get(names, **ZH).data["results"]}
    assert matches["echo"]["title"] == "回声"
    assert matches["echo"]["description"] == "原样返回文本。"
    words = json.loads(Path(backend.demo.__file__).with_name("zh.json").read_text(encoding="utf-8"))
    assert all(words.values())
