"""Many tools: when a model searches them instead of being given all, and how words find one. Pure, without a model.

Found is by words (BM25) over names, descriptions and parameters; a tool that is named exactly comes first. Words are
compared without their endings, and some that mean the same to whoever asks for a tool (`_SAME`) find each other.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from backend.llm.types import ToolDefinition
from backend.llm.usage import tokens_in
from backend.tools.types import JsonObject, ToolSpec, object_in

ToolSearch = Literal["automatic", "all", "search"]
"""How a node offers its tools: searched above the limits below; all of them; always searched."""

SEARCH_TOOLS = "search_tools"
"""The tool that finds the others. Every other name has the form `server__tool`, so none is the same."""
MOST_TOOLS = 40
MOST_TOKENS = 10_000
"""Tools, and tokens of their definitions, that a model is given at once where the node is to decide by itself."""
DEFAULT_RESULTS, MOST_RESULTS = 5, 10
"""Tools that a search loads, and the most that it may ask for."""
LONGEST_QUERY = 500
LONGEST_DESCRIPTION = 2000
MOST_PARAMETERS = 60
"""Characters of a query and of a description, and parameters, that are looked at."""

_NAME, _TITLE, _SERVER, _DESCRIPTION, _PARAMETER, _ABOUT = 4.0, 2.0, 2.0, 1.5, 0.6, 0.2
"""What a word counts by where it stands; the last: in what is said of a parameter."""
_K1, _B = 1.2, 0.3
_SHORT = 300
"""Characters of a text whose words are kept."""
_RAREST = 3.0
"""What the rarest word counts at most: one that stands in a single tool is not all that was asked for."""
_ALIKE = 0.5
"""What a word counts that is not the one asked for, but means the same."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_BETWEEN = re.compile(r"[\W_]+")
_NAMED = re.compile(r"[A-Za-z0-9]+(?:[_.\-/][A-Za-z0-9]+)+|[A-Za-z]+[A-Z][A-Za-z0-9]*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SAY_NOTHING = """
    a about already also an and any are as at be been below by can could did do does far for from full got had has have
    he her his how i if in into is it its just let many me much my need no not now of on or our out please right she
    should so some still than that the their them then there these they this those to today tomorrow tonight too under
    until up us was we week were what when where whether which while will with would yesterday you your
"""
_STOP = frozenset(_SAY_NOTHING.split())
_PHRASES = (
    ("pr", "pull request"),
    ("prs", "pull request"),
    ("dm", "direct message"),
    ("set up", "create"),
    ("call off", "cancel delete"),
    ("push back", "move update"),
    ("take back", "delete remove undo"),
    ("bring back", "restore"),
    ("give back", "refund return"),
    ("money back", "refund"),
    ("throw away", "delete trash"),
    ("get rid of", "delete remove"),
    ("find out", "get"),
    ("look up", "search get"),
    ("sign up", "create register"),
    ("turn off", "disable"),
    ("turn on", "enable"),
    ("out of office", "vacation away"),
)
"""What is said in several words, or shortened, and the words for it that tools have."""
_SAME = (
    "create add new make insert register open start put write set file",
    "delete remove erase drop discard destroy throw trash undo",
    "update edit change modify set rename adjust correct replace move",
    "list all every enumerate overview",
    "get read fetch retrieve show view look details display see say",
    "search find look query lookup",
    "send post write deliver tell notify announce",
    "reply answer respond",
    "invite add",
    "issue ticket bug task",
    "repository repo",
    "user person people member colleague employee",
    "message chat",
    "file document attachment pdf",
    "content text readme",
    "customer client buyer",
    "invoice bill",
    "refund reimburse",
    "balance money funds account",
    "event meeting appointment",
    "calendar agenda schedule",
    "email mail newsletter letter",
    "folder directory",
    "comment note remark",
    "reaction emoji thumb like",
    "history talk conversation",
    "image picture photo",
    "run execute start trigger launch",
    "stop cancel abort end terminate",
    "approve accept",
    "reject decline deny",
    "log output",
    "worklog time spent effort",
    "price cost amount",
    "charge payment pay",
    "product item article",
    "server machine host instance vm",
    "error failure failed crash exception problem",
    "history past earlier changes changelog",
    "upload attach put share",
    "share permission access give let allow",
    "assign give",
    "download export save",
    "copy duplicate clone",
    "role right permission access",
    "status state progress",
    "team group",
    "tag label",
    "secret password credential token key",
    "free available availability",
    "stock inventory warehouse",
    "alert warn warning notify alarm",
    "reminder remind remember",
    "subscription plan",
)


def definition_tokens(definition: ToolDefinition) -> int:
    """About how many tokens a tool's definition costs in every request that offers it."""
    return tokens_in(definition.name) + tokens_in(definition.description) + tokens_in(definition.parameters)


def is_searched(mode: ToolSearch, definitions: Sequence[ToolDefinition]) -> bool:
    """Whether a model searches these tools instead of being given them all."""
    if mode != "automatic":
        return mode == "search" and bool(definitions)
    return len(definitions) > MOST_TOOLS or sum(map(definition_tokens, definitions)) > MOST_TOKENS


def words_of(text: str) -> Sequence[str]:
    """The words of a text as they are compared: small letters, no endings; of Chinese each pair of letters.

    Those of short texts are kept: parameters of the same name recur, and the next run has the same tools.
    """
    return _kept_words(text) if len(text) <= _SHORT else _words(text)


@lru_cache(maxsize=8192)
def _kept_words(text: str) -> tuple[str, ...]:
    return tuple(_words(text))


def _words(text: str) -> list[str]:
    out: list[str] = []
    for word in _WORD.findall(text):
        if _WIDE.fullmatch(word):
            out += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        elif (small := word.lower()) not in _STOP:
            out.append(_stem(small))
    return out


@cache
def _alike() -> dict[str, frozenset[str]]:
    """Other words that mean the same, by word."""
    groups: dict[str, set[str]] = defaultdict(set)
    for line in _SAME:
        stems = {_stem(word) for word in line.split()}
        for stem in stems:
            groups[stem] |= stems - {stem}
    return {stem: frozenset(others) for stem, others in groups.items()}


def _stem(word: str) -> str:
    """An English word without its plural, -ment, -ing, -ed, -ion and last e; rough, but the same for each form."""
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ment", "ing", "ed", "ion"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@dataclass(frozen=True, slots=True)
class ToolWords:
    """What finds a tool: `written` = its names without what parts their words, `weights` = how much each word says."""

    name: str
    written: frozenset[str]
    weights: dict[str, float]
    length: float


def words_of_tool(name: str, label: str, spec: ToolSpec) -> ToolWords:
    """The words of the tool that models know as `name`; `label` = that of its source."""
    weights = _weights(label, spec)
    written = frozenset({_plain(name), _plain(spec.name), _plain(spec.title)} - {""})
    return ToolWords(name, written, weights, sum(weights.values()))


class ToolIndex:
    """Tools by their words, in the order of their lists."""

    def __init__(self, tools: Iterable[ToolWords]) -> None:
        self._names: list[str] = []
        self._exact: dict[str, list[int]] = defaultdict(list)
        self._weights: list[dict[str, float]] = []
        self._postings: dict[str, list[int]] = defaultdict(list)
        self._lengths: list[float] = []
        for position, tool in enumerate(tools):
            self._names.append(tool.name)
            for written in tool.written:
                self._exact[written].append(position)
            self._weights.append(tool.weights)
            for word in tool.weights:
                self._postings[word].append(position)
            self._lengths.append(tool.length)
        self._length = sum(self._lengths) / max(1, len(self._lengths)) or 1.0

    def search(self, query: str, limit: int = DEFAULT_RESULTS) -> list[str]:
        """Exposed names of the tools that fit best, at most `limit`: those that are named, then by their words."""
        query = query[:LONGEST_QUERY]
        positions = dict.fromkeys(self._named(query))
        positions |= dict.fromkeys(self._by_words(query))
        return [self._names[position] for position in list(positions)[: max(1, limit)]]

    def _named(self, query: str) -> Iterator[int]:
        """Tools whose whole name is the query, or stands in it in the form of a name."""
        for written in (query, *_NAMED.findall(query)):
            yield from self._exact.get(_plain(written), ())

    def _by_words(self, query: str) -> list[int]:
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words_of(_in_other_words(query))):
            best: dict[int, float] = {}
            for form, share in ((word, 1.0), *((other, _ALIKE) for other in _alike().get(word, ()))):
                for position, score in self._scored(form):
                    best[position] = max(best.get(position, 0.0), share * score)
            for position, score in best.items():
                scores[position] += score
        return sorted(scores, key=lambda position: (-scores[position], position))

    def _scored(self, word: str) -> Iterator[tuple[int, float]]:
        postings = self._postings.get(word, ())
        rarity = min(_RAREST, math.log(1 + (len(self._names) - len(postings) + 0.5) / (len(postings) + 0.5)))
        for position in postings:
            weight = self._weights[position][word]
            norm = _K1 * (1 - _B + _B * self._lengths[position] / self._length)
            yield position, rarity * weight * (_K1 + 1) / (weight + norm)


def _weights(label: str, spec: ToolSpec) -> dict[str, float]:
    """How much each word says about a tool; a word that stands in several places counts where it counts most."""
    parts = [(_NAME, spec.name), (_TITLE, spec.title), (_SERVER, label)]
    parts.append((_DESCRIPTION, spec.description[:LONGEST_DESCRIPTION]))
    parts += _parameters(spec.input_schema)
    weights: dict[str, float] = {}
    for weight, text in parts:
        for word in words_of(text):
            weights[word] = max(weights.get(word, 0.0), weight)
    return weights


def _parameters(schema: JsonObject) -> Iterator[tuple[float, str]]:
    for name, about in list(object_in(schema, "properties").items())[:MOST_PARAMETERS]:
        yield _PARAMETER, name
        if isinstance(about, dict) and isinstance(about.get("description"), str):
            yield _ABOUT, str(about["description"])[:LONGEST_DESCRIPTION]


def _in_other_words(query: str) -> str:
    """A query with the words that tools have for what it says in several, or in short."""
    small = f" {re.sub(_BETWEEN, ' ', query).lower()} "
    return " ".join([query, *(words for phrase, words in _PHRASES if f" {phrase} " in small)])


def _plain(name: str) -> str:
    """A name without what parts its words."""
    return re.sub(_BETWEEN, "", name).lower()
