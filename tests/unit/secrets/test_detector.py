"""Secrets by value: what real configurations hold in the clear is found, and what only looks like it is not."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path

import pytest

from backend.secrets.detector import findings, hide

PRESETS = Path(__file__).parents[3] / "backend/registry/configuration/presets.json"
SEEDED = random.Random(7)


def random_text(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(SEEDED.choices(letters, k=length))


HEX = "0123456789abcdef"
JWT = f"eyJhbGciOiJIUzI1NiJ9.eyJ{random_text(30)}.{random_text(43)}"
SECRETS = [
    *(
        prefix + random_text(length)
        for prefix, length in [("ghp_", 36), ("github_pat_", 82), ("glpat-", 20), ("hf_", 34)]
    ),
    *(prefix + random_text(length) for prefix, length in [("sk-", 48), ("sk-ant-api03-", 93), ("sk-proj-", 60)]),
    *(prefix + random_text(length) for prefix, length in [("tvly-", 32), ("ntn_", 46), ("npm_", 36), ("gsk_", 52)]),
    *(prefix + random_text(length) for prefix, length in [("AIza", 35), ("xoxb-", 40), ("BSA", 27), ("lin_api_", 40)]),
    "AKIA" + random_text(16, string.ascii_uppercase + string.digits),
    "ms-" + "-".join(random_text(n, HEX) for n in (8, 4, 4, 4, 12)),
    "123456789:AA" + random_text(33),
    JWT,
    random_text(32, HEX),
    random_text(40),
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
]
CONFIGURED = [
    ("TOKEN=abcd-1234-efgh", "TOKEN=····"),
    ("GITHUB_PERSONAL_ACCESS_TOKEN=not-a-known-form", "GITHUB_PERSONAL_ACCESS_TOKEN=····"),
    ("postgresql://user:pw-of-mine@db.internal:5432/app", "postgresql://user:····@db.internal:5432/app"),
    (
        "mongodb+srv://a:p%40ss@c.mongodb.net/x?retryWrites=true",
        "mongodb+srv://a:····@c.mongodb.net/x?retryWrites=true",
    ),
    ("redis://:hunter2secret@cache:6379/0", "redis://:····@cache:6379/0"),
    ("Authorization: Bearer abcdefgh1234", "Authorization: Bearer ····"),
    ("X-Api-Key: abcdefgh1234", "X-Api-Key: ····"),
    ("Server=db;User Id=sa;Password=Str0ng!pass;Encrypt=true", "Server=db;User Id=sa;Password=····;Encrypt=true"),
    (
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc123DEF456==;EndpointSuffix=core.windows.net",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=····;EndpointSuffix=core.windows.net",
    ),
    ("https://a.example/mcp?api_key=abcdefgh", "https://a.example/mcp?api_key=····"),
]
INNOCENT = [
    *("-y", "@modelcontextprotocol/server-filesystem", "@upstash/context7-mcp@2.1.4", "mcp-server-git==2026.1.14"),
    *(
        "git+https://github.com/oraios/serena@0123456789abcdef0123456789abcdef01234567",
        "ghcr.io/github/github-mcp-server",
    ),
    "mcp/filesystem@sha256:35fcf0217ca0d5bf7b0a5bd68fb3b89e08174676c0e0b4f431604512cf7b3f67",
    *("type=bind,src=/Users/me/Desktop,dst=/projects", "/srv/data/2026-11-22/report-final-version.csv", "--rm", "-i"),
    *("https://mcp.deepwiki.com/mcp", "https://api.githubcopilot.com/mcp/", "http://localhost:8080/sse"),
    *("postgresql://localhost/mydb", "postgresql://user@db.internal:5432/app", "redis://cache:6379/0"),
    *("0b8e5d4c-1f7a-4a86-9f0e-2f1f3f0c9d11", "America/Argentina/Buenos_Aires", "x".join("abc")),
    *("GITHUB_TOOLSETS=repos,issues,pull_requests,code_security", "LOG_LEVEL=debug", "MAX_TOKENS=4096"),
    *("${secret:github_token}", "TOKEN=${env:TOKEN}", "Bearer YOUR_API_KEY", "Authorization: Bearer <token>"),
    *(
        "API_KEY_FILE=/run/secrets/key",
        "TOKEN=none",
        "--transport=streamable-http",
        "NODE_OPTIONS=--max-old-space-size=4096",
    ),
    *(
        "C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\some-mcp-server\\dist\\index.js",
        "chrome-devtools-mcp@latest",
    ),
    *(
        "text-embedding-3-large-with-dimensions-1536",
        "claude-sonnet-4-5-20250929",
        "Qwen/Qwen3-235B-A22B-Instruct-2507",
    ),
    *("us-central1-aiplatform.googleapis.com", "com.atlassian.jira.server.configuration", "服务器的说明，一段普通的话"),
    "read_file,write_file,list_directory,create_directory,move_file,search_files",
]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda text: text[:8])
def test_known_forms_are_found_wherever_they_stand(secret: str) -> None:
    for text in (secret, f"--x={secret}", f"https://a.example/mcp?q={secret}", f"a {secret} b"):
        assert secret not in hide(text, "····"), text


@pytest.mark.parametrize(("text", "shown"), CONFIGURED)
def test_only_the_secret_part_is_hidden(text: str, shown: str) -> None:
    assert hide(text, "····") == shown


def test_precision_on_real_configurations() -> None:
    """Every text of the ModelScope and reference presets, and of servers' own pages: none is taken for a secret."""
    texts = [*INNOCENT, *_texts(json.loads(PRESETS.read_text()))]
    wrong = {text: findings(text) for text in texts if findings(text)}
    assert len(texts) > 200 and wrong == {}


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


def test_a_long_text_is_looked_at_in_linear_steps() -> None:
    for hostile in ("a" * 200_000, "://" * 60_000, "eyJ" * 60_000, "password=" * 20_000, "=:" * 90_000, "a:" * 90_000):
        assert len(findings(hostile)) < 30_000
