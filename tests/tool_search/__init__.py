"""A written corpus for the search of tools: 372 tools in the style of real servers, and 244 questions of people.

`catalogue.txt` holds the tools by server, `name(parameters): description`, invented here; `questions.txt` holds
`question => tool` (several with `|` where each of them is right), written from what people want, not from the names.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from backend.agents.tool_lists import offered
from backend.agents.tool_search import ToolIndex, definition_tokens, words_of_tool
from backend.agents.toolset import search_definition
from backend.tools.calls.exposed_names import exposed_name
from backend.tools.types import JsonObject, ToolSpec

FOLDER = Path(__file__).parent
LINE = re.compile(r"(?P<name>[\w-]+)\((?P<parameters>[^)]*)\): (?P<description>.+)")
LISTS = frozenset({"labels", "assignees", "users", "files", "attendees", "fields", "values", "items", "options"})
NUMBERS = frozenset(
    {"page", "per_page", "limit", "amount", "quantity", "issue_number", "pull_number", "pageSize", "tail"}
)
ABOUT = {
    "owner": "Account that owns the repository, without the leading @",
    "repo": "Name of the repository without its owner",
    "page": "Page of the results, from 1",
    "per_page": "Results on a page, at most 100",
    "limit": "How many results are returned at most; the default is 20",
    "query": "What to look for, in the syntax of the search",
    "channel": "Id of the channel, such as C0123456789",
    "customer": "Id of the customer, such as cus_123",
    "namespace": "Namespace; the one of the current context if omitted",
    "body": "Text in Markdown",
    "state": "Filter by state: open, closed or all",
}


@cache
def tools() -> tuple[tuple[str, ToolSpec], ...]:
    """(label of the server, tool), in their order."""
    label, out = "", []
    for line in (FOLDER / "catalogue.txt").read_text().splitlines():
        if line.startswith("# "):
            label = line[2:]
            continue
        entry = LINE.fullmatch(line)
        assert entry is not None, line
        names = [name for name in entry["parameters"].split(", ") if name]
        schema: JsonObject = {
            "type": "object",
            "properties": {name: _parameter(name) for name in names},
            "required": [*names[:2]],
            "additionalProperties": False,
        }
        out.append((label, ToolSpec(label, entry["name"], entry["description"], input_schema=schema)))
    return tuple(out)


def _parameter(name: str) -> JsonObject:
    words = re.sub(r"(?<=[a-z])([A-Z])", r" \1", name).replace("_", " ").lower()
    about = ABOUT.get(name, f"The {words}")
    if name in LISTS:
        return {"type": "array", "items": {"type": "string"}, "description": about}
    return {"type": "integer" if name in NUMBERS else "string", "description": about}


def index() -> ToolIndex:
    """All of them."""
    return ToolIndex(words_of_tool(exposed_name(label, spec.name), label, spec) for label, spec in tools())


def questions() -> list[tuple[str, set[str]]]:
    """(question, exposed names of which each is right)."""
    exposed = {spec.name: exposed_name(label, spec.name) for label, spec in tools()}
    out = []
    for line in (FOLDER / "questions.txt").read_text().splitlines():
        question, right = line.split(" => ")
        out.append((question, {exposed[name] for name in right.split("|")}))
    return out


def misses(limit: int = 5) -> list[str]:
    """Questions whose right tool is not among those found."""
    searched = index()
    return [question for question, right in questions() if not right & set(searched.search(question, limit))]


def tokens() -> tuple[int, int]:
    """Tokens of all definitions, and of what a model is given that searches and has loaded the five of one search."""
    whole = [offered(label, spec) for label, spec in tools()]
    sources = ", ".join(dict.fromkeys(label for label, _ in tools()))
    search = search_definition("en", count=str(len(whole)), servers=sources)
    matches = set(index().search("open an issue about the login", 5))
    loaded = [definition for definition in whole if definition.name in matches]
    return sum(map(definition_tokens, whole)), sum(map(definition_tokens, [search, *loaded]))
