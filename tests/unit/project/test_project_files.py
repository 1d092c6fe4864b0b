"""The files that a newcomer reads first lead to what exists, and the glossary says the same words in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


@pytest.mark.parametrize("name", FILES)
def test_every_link_leads_to_a_file(name: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)|src=\"([^\"]+)\"", (ROOT / name).read_text(encoding="utf-8"))
    for link in (a or b for a, b in links):
        assert (ROOT / link).exists(), f"{name} links to {link}"


@pytest.mark.parametrize("name", FILES)
def test_every_path_that_is_named_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:backend|frontend|tests|docs|requirements)/[\w./-]+)`", text)
    for path in paths:
        assert (ROOT / path).exists(), f"{name} names {path}"


def test_the_make_targets_of_the_guide_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)(?=`|\s+#)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    assert len(named) >= 5
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target}"


def words(language: str) -> list[list[str]]:
    """The words of each table, in English: in Chinese they stand in brackets."""
    text = (ROOT / "docs" / language / "glossary.md").read_text(encoding="utf-8")
    pattern = r"^\| [^|]*?（([^）]+)） \|" if language == "zh" else r"^\| (?!Word)([^|]+?) \|"
    tables = [re.findall(pattern, part, re.MULTILINE) for part in text.split("\n## ")[1:]]
    return [[word[0].lower() + word[1:] for word in table] for table in tables]


def test_the_glossary_explains_the_same_words_in_both_languages() -> None:
    english = [[word if word.isupper() else word[0].lower() + word[1:] for word in table] for table in words("en")]
    assert sum(map(len, english)) > 40
    assert english == words("zh")
