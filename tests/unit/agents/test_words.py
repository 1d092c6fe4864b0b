"""What is said to models, and JSON out of what they say."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest

from backend.agents.prompting import prompt, prompt_text
from backend.agents.reading import NotJson, read_arguments, read_json
from backend.agents.rounds import misfits
from backend.json_types import JsonObject

FOLDER = files("backend.agents") / "prompts"
NAMES = {language: {path.name for path in (FOLDER / language).iterdir()} for language in ("en", "zh")}


def test_every_prompt_is_there_in_both_languages() -> None:
    assert NAMES["en"] == NAMES["zh"]


@pytest.mark.parametrize("name", sorted(NAMES["en"]))
def test_both_say_the_same_of_the_same(name: str) -> None:
    english, chinese = (prompt_text(name.removesuffix(".md"), language) for language in ("en", "zh"))
    assert english and chinese and english != chinese
    assert set(re.findall(r"\{[a-z_]+\}", english)) == set(re.findall(r"\{[a-z_]+\}", chinese))
    assert re.search("[\u4e00-\u9fff]", chinese) and not re.search("[\u4e00-\u9fff]", english)


def test_values_are_put_in_once_and_stay_as_they_are() -> None:
    own = {"json_again": "{error} {other} {{ x }} {error}"}
    assert prompt("json_again", "en", own, error="{other} {error}") == "{other} {error} {other} {{ x }} {other} {error}"
    assert prompt("json_again", "en", {"json_again": " "}, error="E").startswith("That answer cannot be used: E")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (" [1, 2]\n", [1, 2]),
        ('"x"', "x"),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Sure!\n```\n{"a": {"b": "```"}}\n```', {"a": {"b": "```"}}),
        ('It is {"a": 1}, I think.', {"a": 1}),
        ('<think>{"no": 1}</think>{"a": 1}', {"a": 1}),
        ('{broken} then {"a": 1}', {"a": 1}),
        ('{"text": "{{ env.x }} ${secret:x}"}', {"text": "{{ env.x }} ${secret:x}"}),
    ],
)
def test_json_amid_other_words(text: str, value: Any) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize("text", ["", " ", "words", "{", "<think>{}</think>", "NaN", "[" * 200_000, '{"a": Infinity}'])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(NotJson):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "value"), [("", {}), ("null", {}), ('{"a": 1}', {"a": 1}), ('"{\\"a\\": 1}"', {"a": 1})]
)
def test_arguments(text: str, value: Any) -> None:
    assert read_arguments(text) == value


async def test_misfits_are_said_in_one_line() -> None:
    schema: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["m"]}
    reply = await misfits(schema, {"n": "x"})
    assert "n:" in reply and "m" in reply and "\n" not in reply
    assert (await misfits(schema, 7)).startswith("the value:")
    assert await misfits(schema, {"m": 1}) == ""
