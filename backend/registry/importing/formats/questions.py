"""Placeholders in configurations: found, turned into questions, and filled with the answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from backend.registry.importing.formats.candidates import Candidate, Declared, Question
from backend.secrets.names import REFERENCE, is_secret_name

MOST_QUESTIONS = 100
"""Questions one server may leave open; further placeholders stay as they are."""
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([0-9]{{1,4}}){_CLOSE}")
_PARTS = re.compile(
    r"\$\{[^{}\n]{0,200}\}"  # ${env:K}, ${input:id}, ${workspaceFolder}, ${K:-default}
    r"|\{(?:env|file):[^{}\n]{1,200}\}"  # opencode
    r"|\{\{[^{}\n]{1,200}\}\}"
    r"|(?<![\w$])\$[A-Z_][A-Z0-9_]*(?!\w)"
    r"|%[A-Z_]{3}[A-Z0-9_]{0,60}%"
    r"|<[A-Za-z][^<>\n]{0,80}>"
    r"|\[(?:your|YOUR|Your)[^\[\]\n]{0,80}\]"
    r"|(?<![A-Za-z0-9_])(?:your|YOUR|Your)[-_][A-Za-z0-9_-]{1,80}"
    r"|(?<![\w/])(?:[A-Z]:)?[\\/](?:(?:absolute|full)[\\/])?path[\\/]to(?![\w])[^\s,;:\"'<>]{0,200}"
    r"|(?<![\w/])(?:[A-Z]:[\\/]Users|/Users|/home)[\\/](?:username|user|you|yourname)(?![\w-])[^\s,;:\"'<>]{0,200}"
)
_BRACED = r"\{[A-Za-z_][\w.-]{0,80}\}"
"""A variable of an address or header, as in URI templates, or one that is all there is; elsewhere braces may be JSON or
a template of the server's own."""
_BRACED_QUESTION = re.compile(rf"(?:-[\w-]*=)?(?:{_BRACED}|https?://.*)", re.IGNORECASE | re.DOTALL)
_WHOLE = re.compile(
    r"(?:your|enter|insert|replace|paste|put)[-_ ].{0,200}"
    r"|[\w-]{0,16}(?:x{4,64}|\*{3,64}|\.{3}|…)|x{3}|changeme|change[-_ ]me|todo|api[-_ ]key[-_ ]here",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(Bearer|Basic|Token)\s+(.*)", re.IGNORECASE | re.DOTALL)
_PLACES = re.compile(
    r"workspace|folder|dirname|\bdir|path|\bhome\b|userHome|\bfile\b|\buser\b|port|host|region|url|cwd|python", re.I
)


class Asking:
    """Collects the questions of one candidate while its texts are read."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self.questions: list[Question] = []
        self._by_id: dict[str, int] = {}

    def mark(self, text: str, where: str, name: str = "", *, ask_empty: bool = False) -> str:
        """`text` with a mark for each placeholder. `name` = of the variable, header or flag it stands behind."""
        text = text.replace(_OPEN, "").replace(_CLOSE, "")
        if ask_empty and not text and is_secret_name(name):
            return self._mark(Question(name, name, where, secret=True, required=False))
        if REFERENCE.search(text):
            return text
        bearer = _BEARER.fullmatch(text)
        lead, bare = (text[: bearer.start(2)], bearer.group(2)) if bearer else ("", text)
        if bare not in self._declared and _WHOLE.fullmatch(bare):
            return lead + self._mark(self._undeclared(bare, where, name, whole=True))

        def marked(match: re.Match[str]) -> str:
            token = match.group()
            if token.startswith("${secret:"):
                return token
            whole = token == bare
            return self._mark(self._declared.get(token) or self._undeclared(token, where, name, whole=whole), where)

        braced = where in {"url", "headers"} or bool(_BRACED_QUESTION.fullmatch(text))
        return self._pattern(text, braced).sub(marked, text)

    def ask(self, question: Question) -> str:
        """The mark of a question that the document declares in so many words."""
        return self._mark(question)

    def _pattern(self, text: str, braced: bool) -> re.Pattern[str]:
        named = [re.escape(token) for token in self._declared if token in text and not _PARTS.fullmatch(token)]
        return re.compile("|".join([*named, _PARTS.pattern, *([_BRACED] if braced else [])]))

    def _mark(self, question: Question, where: str = "") -> str:
        index = self._by_id.get(question.id)
        if index is None:
            if len(self.questions) >= MOST_QUESTIONS:
                return question.token
            question.where = where or question.where
            index = self._by_id[question.id] = len(self.questions)
            self.questions.append(question)
        return f"{_OPEN}{index}{_CLOSE}"

    @staticmethod
    def _undeclared(token: str, where: str, name: str, *, whole: bool) -> Question:
        inner, default = _inner(token)
        label = (name if whole and name else inner) or inner
        identity = inner if re.fullmatch(r"[\w.:-]{1,80}", inner) and token[0] in "${%" else label
        telling = is_secret_name(name) or is_secret_name(re.sub(r"\W+", "_", inner)) if name or inner else False
        place = bool(_PLACES.search(inner)) and not is_secret_name(name)
        secret = telling or (where in {"env", "headers"} and not place and not default)
        return Question(
            (identity or token)[:80], (label or token)[:80], where, secret=secret, default=default, token=token[:200]
        )


def _inner(token: str) -> tuple[str, str]:
    """(what the placeholder calls itself, its default)."""
    bare = token.strip("${}<>[]%").strip()
    bare = re.sub(r"^(?:env|input|file|user_config|config|command):", "", bare)
    bare = bare.removeprefix("user_config.")
    bare, dash, default = bare.partition(":-")
    return bare or token, default if dash else ""


def questions_in(questions: list[Question], text: str) -> list[Question]:
    """The questions whose marks stand in `text`."""
    return [questions[int(index)] for index in _MARK.findall(text) if int(index) < len(questions)]


def fill(questions: list[Question], text: str, value: Callable[[Question], str]) -> str:
    """`text` with `value(question)` for each mark."""
    return _MARK.sub(lambda match: value(questions[int(match.group(1))]), text) if _OPEN in text else text


def answer_of(question: Question, answers: Mapping[str, str]) -> str:
    """What was answered, or the default."""
    return answers.get(question.id, "").strip() or question.default


def open_questions(candidate: Candidate, answers: Mapping[str, str]) -> list[Question]:
    """Required questions without an answer that no secret field waits for: without them the server means nothing."""
    data = candidate.data
    texts = [data.get(name) or "" for name in ("command", "cwd", "url")] + [
        text for group in candidate.args for text in group
    ]
    required = {
        question.id for text in texts for question in questions_in(candidate.questions, text) if question.required
    }
    return [
        question for question in candidate.questions if question.id in required and not answer_of(question, answers)
    ]
