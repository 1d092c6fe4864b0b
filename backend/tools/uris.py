"""URI templates (RFC 6570) filled with values of a run: each value stays within its variable.

Servers make paths of what stands in a URI, and many decode it first. So a value is encoded as its variable wants, and
one that would lead elsewhere once it is decoded (`..` as part of a path, a slash at its beginning, control characters)
is refused rather than sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

from backend.errors import ValidationFailed
from backend.tools.types import JsonObject, JsonValue

MOST_URI = 8192
"""Characters of a URI or template."""
MOST_VARIABLES = 64
_RESERVED = ":/[]@!$&'()*+,;="
"""What `{+x}` leaves as it is; `?` and `#`, at which a path ends, are encoded all the same."""
_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(r"([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(\*|:[1-9]\d{0,3})?")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ODD = re.compile(r"[\x00-\x20\x7f{}<>\"\\^`|\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DECODINGS = 3
"""How often a value is decoded in the search for what it hides."""


class _Style(NamedTuple):
    """How an operator writes its values (RFC 6570, appendix A)."""

    before: str
    between: str
    named: bool = False
    if_empty: str = ""


_STYLES = {
    "": _Style("", ","),
    "+": _Style("", ","),
    "#": _Style("#", ","),
    ".": _Style(".", "."),
    "/": _Style("/", "/"),
    ";": _Style(";", ";", named=True),
    "?": _Style("?", "&", named=True, if_empty="="),
    "&": _Style("&", "&", named=True, if_empty="="),
}
_LENIENT = frozenset("?&#")
"""Operators whose variables may be left out, and whose values are no part of a path."""


class Variable(NamedTuple):
    """A variable of a template: `modifier` = "*" (a list is taken apart), ":n" (its first characters) or ""."""

    name: str
    operator: str
    modifier: str = ""

    @property
    def required(self) -> bool:
        """Whether the URI is another one without it."""
        return self.operator not in _LENIENT


def is_template(text: str) -> bool:
    """Whether a text has variables."""
    return "{" in text


def variables_of(template: str) -> list[Variable]:
    """The variables of a template, in order. Raises ValidationFailed for what is none."""
    variables = [variable for part in _parts(template) if not isinstance(part, str) for variable in part]
    if len(variables) > MOST_VARIABLES:
        raise _bad(template)
    return variables


def checked_uri(uri: str) -> str:
    """A URI as it may be sent to a server. Raises ValidationFailed."""
    if len(uri) > MOST_URI or not _SCHEME.match(uri) or _ODD.search(uri):
        params: JsonObject = {"reason": "uri_form", "uri": uri[:200]}
        raise ValidationFailed(params=params, fields={"uri": ["must be a URI"]})
    return uri


def filled(template: str, values: JsonObject) -> str:
    """The URI that a template becomes with these values: texts, numbers, true or false, and lists of them. None counts
    as not given. Raises ValidationFailed naming the argument."""
    filled_in: JsonObject = {name: value for name, value in values.items() if value is not None}
    variables = variables_of(template)
    names = {variable.name for variable in variables}
    for name in filled_in:
        if name not in names:
            raise _refused("uri_unknown", name, "is no variable of the URI")
    for variable in variables:
        if variable.required and variable.name not in filled_in:
            raise _refused("uri_missing", variable.name, "is required")
    written = ""
    for part in _parts(template):
        written += part if isinstance(part, str) else _expanded(part, filled_in, written)
    return checked_uri(written)


def climbs(value: str) -> bool:
    """Whether a value, decoded as servers decode it, has a part that leads upwards or a control character."""
    for _ in range(_DECODINGS):
        if _CONTROL.search(value) or any(part in (".", "..") for part in re.split(r"[/\\]", value)):
            return True
        value = unquote(value)
    return False


def _bad(template: str) -> ValidationFailed:
    params: JsonObject = {"reason": "uri_template", "uri": template[:200]}
    return ValidationFailed(params=params, fields={"uri": ["must be a URI template"]})


def _refused(reason: str, name: str, why: str) -> ValidationFailed:
    return ValidationFailed(params={"reason": reason, "name": name}, fields={f"arguments.{name}": [why]})


def _parts(template: str) -> Iterator[str | list[Variable]]:
    if len(template) > MOST_URI:
        raise _bad(template)
    end = 0
    for match in _EXPRESSION.finditer(template):
        yield _literal(template, template[end : match.start()])
        yield [_variable(template, match[1], text) for text in match[2].split(",")]
        end = match.end()
    yield _literal(template, template[end:])


def _literal(template: str, text: str) -> str:
    if "{" in text or "}" in text:
        raise _bad(template)
    return text


def _variable(template: str, operator: str, text: str) -> Variable:
    match = _VARIABLE.fullmatch(text)
    if match is None:
        raise _bad(template)
    return Variable(match[1], operator, match[2] or "")


def _expanded(variables: list[Variable], values: JsonObject, before: str) -> str:
    style = _STYLES[variables[0].operator]
    written = [
        text for variable in variables if variable.name in values for text in _written(variable, values, style, before)
    ]
    return style.before + style.between.join(written) if written else ""


def _written(variable: Variable, values: JsonObject, style: _Style, before: str) -> list[str]:
    value = values[variable.name]
    texts = [_text(variable, item) for item in value] if isinstance(value, list) else [_text(variable, value)]
    if variable.modifier.startswith(":"):
        texts = [text[: int(variable.modifier[1:])] for text in texts]
    for text in texts:
        _stays(variable, text, before)
    encoded = [_encoded(text, reserved=variable.operator in ("+", "#")) for text in texts]
    if not (variable.modifier == "*" and isinstance(value, list)):
        encoded = [",".join(encoded)] if encoded else []
    if not style.named:
        return encoded
    return [f"{variable.name}={text}" if text else f"{variable.name}{style.if_empty}" for text in encoded]


def _text(variable: Variable, value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise _refused("uri_value", variable.name, "must be text or a number")


def _stays(variable: Variable, text: str, before: str) -> None:
    """Refuse a value that would leave its variable."""
    if not variable.required:
        if _CONTROL.search(text):
            raise _refused("uri_climbs", variable.name, "may hold no control characters")
        return
    # `file://{+path}` wants a slash; anywhere else one makes an absolute path of the value
    absolute = unquote(text)[:1] in ("/", "\\") and not (variable.operator == "+" and before == "file://")
    if absolute or climbs(text):
        raise _refused("uri_climbs", variable.name, "may not begin with a slash or contain ..")


def _encoded(text: str, *, reserved: bool) -> str:
    if not reserved:
        return quote(text, safe="", errors="replace")
    written, end = "", 0
    for match in _ENCODED.finditer(text):  # what is encoded already stays so
        written += quote(text[end : match.start()], safe=_RESERVED, errors="replace") + match[0]
        end = match.end()
    return written + quote(text[end:], safe=_RESERVED, errors="replace")
