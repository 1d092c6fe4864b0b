"""Every reason that the client and its test give has a sentence of its own, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import backend
from backend.errors import text_for

ROOT = Path(backend.__file__).parent
CATALOGUE = json.loads((ROOT / "errors" / "catalogue.json").read_text(encoding="utf-8"))
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "llm").glob("*.py")}
CHOSEN = {  # reasons that are chosen before the error is made
    "LLM_AUTH_FAILED": "http_401 http_403 no_key",
    "LLM_BAD_RESPONSE": "http_status http_404",
    "LLM_RATE_LIMITED": "quota",
    "LLM_TIMEOUT": "first_token idle total",
    "NOT_FOUND": "provider",
    "SECRET_MISSING": "unset_provider",
    "VALIDATION_ERROR": "provider_off no_model",
    "GRAPH_INVALID": "provider_unknown provider_off model_unknown",
}


def used_reasons() -> set[str]:
    """`CODE.reason` of every error that is made with a reason written out."""
    text = "".join(SOURCES.values())
    matches = {f"LLM_BAD_RESPONSE.{reason}" for reason in re.findall(r'\bbad\(\s*"(\w+)"', text)}
    matches |= {f"LLM_TIMEOUT.{reason}" for reason in re.findall(r'\btimed_out\("(\w+)"', text)}
    matches |= {
        f"LLM_UNREACHABLE.{reason}" for reason in re.findall(r'LlmUnreachable\(params={"reason": "(\w+)"', text)
    }
    matches |= {f"PROVIDER_TEST.{reason}" for reason in re.findall(r'note(?:, stage\.detail)? = "(\w+)"', text)}
    return matches | {f"{code}.{reason}" for code, reasons in CHOSEN.items() for reason in reasons.split()}


def test_the_search_finds_what_is_there() -> None:
    assert {
        "LLM_BAD_RESPONSE.cut",
        "LLM_UNREACHABLE.dns",
        "LLM_TIMEOUT.connect",
        "PROVIDER_TEST.no_list",
    } <= used_reasons()
    assert len(used_reasons()) > 25


@pytest.mark.parametrize("entry", sorted(used_reasons()))
def test_every_reason_has_a_sentence_and_a_hint_in_both_languages(entry: str) -> None:
    code, _, reason = entry.partition(".")
    assert entry in CATALOGUE
    english, chinese = (text_for(code, {"reason": reason}, language) for language in ("en", "zh"))
    assert all(english) and all(chinese) and english[0] != chinese[0]
