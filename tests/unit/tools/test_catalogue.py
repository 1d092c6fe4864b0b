"""Every reason that tools and net give has a sentence of its own, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import backend
import backend.errors
from backend.errors import text_for

ROOT = Path(backend.__file__).parent
CATALOGUE = json.loads((ROOT / "errors" / "catalogue.json").read_text(encoding="utf-8"))
RAISED = re.compile(r'\b([A-Z]\w+)\(\s*params=\{"reason": "(\w+)"')
RISKS = re.compile(r'\breason\("(\w+)"')
WHY = re.compile(r'return "(\w+)"')
CHOSEN = {  # reasons that are chosen before the error is made
    "MCP_UNREACHABLE": "command_missing uv_missing node_missing docker_missing not_executable not_started refused "
    "connect npm_not_found uv_not_found docker_daemon variable_missing stdout_closed not_http huge_header is_https "
    "box home_full install_failed install_offline install_version install_changed install_no_command "
    "is_http is_sse is_streamable",
    "MCP_AUTH_FAILED": "http_401 http_403 no_credentials",
    "MCP_PROTOCOL_ERROR": "html content_type answer version capability method schema_invalid schema_reference "
    "schema_too_large schema_too_deep schema_too_costly schema_missing schema_not_object not_a_tool name_missing "
    "name_too_long name_twice redirect redirect_https batch no_jsonrpc not_jsonrpc",
    "MCP_PARSE_ERROR": "json message too_deep",
    "MCP_POLICY_DENIED": "deny",
    "NETWORK_BLOCKED": "own_port loopback private unix",
    "RISK": "untrusted_hints not_destructive no_hints",
}


def used_reasons() -> set[str]:
    """`CODE.reason` of every error that is made with a reason written out."""
    matches = set()
    for room in ("tools", "net"):
        for file in (ROOT / room).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            for name, reason in RAISED.findall(text):
                code = "MCP_UNREACHABLE" if name == "SessionLost" else getattr(backend.errors, name).code
                matches.add(f"{code}.{reason}")
            matches |= {f"RISK.{reason}" for reason in RISKS.findall(text)}
    matches |= {f"{code}.{reason}" for code, reasons in CHOSEN.items() for reason in reasons.split()}
    matches |= {f"VALIDATION_ERROR.url_{why}" for why in WHY.findall((ROOT / "net" / "urls.py").read_text())}
    return matches


def test_the_search_finds_what_is_there() -> None:
    assert {"MCP_UNREACHABLE.command_missing", "RISK.destructive", "VALIDATION_ERROR.url_scheme"} <= used_reasons()
    assert len(used_reasons()) > 50


@pytest.mark.parametrize("entry", sorted(used_reasons()))
def test_every_reason_has_a_sentence_and_a_hint_in_both_languages(entry: str) -> None:
    code, _, reason = entry.partition(".")
    assert entry in CATALOGUE
    english, chinese = (text_for(code, {"reason": reason}, language) for language in ("en", "zh"))
    assert all(english) and all(chinese) and english[0] != chinese[0]
