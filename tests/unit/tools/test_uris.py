"""URI templates: RFC 6570's own examples, and values that try to leave their variable."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ValidationFailed
from backend.tools.uris import checked_uri, climbs, filled, variables_of

RFC: dict[str, Any] = {
    "count": ["one", "two", "three"], "hello": "Hello World!", "half": "50%", "var": "value", "who": "fred",
    "base": "http://example.com/home/", "v": "6", "x": "1024", "y": "768", "empty": "",
    "list": ["red", "green", "blue"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{var:3}", "val"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("X{#hello}", "X#Hello%20World!"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/list*}", "/red/green/blue"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ],
)
def test_the_examples_of_the_rfc(template: str, uri: str) -> None:
    names = {variable.name for variable in variables_of(template)}
    values = {name: value for name, value in RFC.items() if name in names}
    assert filled(f"t:{template}", values) == f"t:{uri}"


def refused(template: str, values: dict[str, Any]) -> tuple[str, list[str]]:
    """(reason, fields) of the refusal."""
    with pytest.raises(ValidationFailed) as caught:
        filled(template, values)
    return str(caught.value.params["reason"]), list(caught.value.fields)


@pytest.mark.parametrize("template", ["notes://{name}", "notes://{+name}", "notes://x{/name*}", "notes://x{;name}"])
@pytest.mark.parametrize(
    "value",
    [
        "..", "../secret", "a/../../b", "..\\b", "%2e%2e/b", "..%2Fb", "%252e%252e%252fb", ".", "a/./b",
        "/etc/passwd", "\\\\host\\share", "%2fetc%2fpasswd", "a\x00b", "a\nb", "a%00b",
    ],
)  # fmt: skip
def test_a_value_that_climbs_is_refused_by_name(template: str, value: str) -> None:
    assert refused(template, {"name": value}) == ("uri_climbs", ["arguments.name"])
    assert refused(template, {"name": ["fine", value]}) == ("uri_climbs", ["arguments.name"])


@pytest.mark.parametrize("value", ["file.txt", "v1..v2", "a..", "...", "a/b", "ü&?#=", "100%", "{other}"])
def test_a_value_that_does_not_climb_stays_in_its_place(value: str) -> None:
    uri = filled("notes://{name}/end", {"name": value})
    inner = uri.removeprefix("notes://").removesuffix("/end")
    assert unquote(inner) == value and not set("/?#&{}") & set(inner)
    assert not set("?#{}") & set(filled("notes://{+name}", {"name": value}).removeprefix("notes://"))


def test_only_a_variable_behind_the_scheme_may_begin_with_a_slash() -> None:
    assert filled("file://{+path}", {"path": "/srv/a"}) == "file:///srv/a"
    assert refused("file:///srv/{+path}", {"path": "/etc"})[0] == "uri_climbs"


@pytest.mark.parametrize(
    ("template", "values", "reason"),
    [
        ("n://{a}", {}, "uri_missing"),
        ("n://{a}", {"a": None}, "uri_missing"),
        ("n://{a}", {"a": "1", "b": "2"}, "uri_unknown"),
        ("n://{a}", {"a": {"b": 1}}, "uri_value"),
        ("n://{a}", {"a": ["x", None]}, "uri_value"),
        ("n://{a", {"a": "1"}, "uri_template"),
        ("n://{}", {}, "uri_template"),
        ("n://{a b}", {}, "uri_template"),
        ("n://{=a}", {"a": "1"}, "uri_template"),
        ("n://" + "{a}" * 65, {"a": "1"}, "uri_template"),
        ("n://{a}", {"a": "x" * 9000}, "uri_form"),
        ("{a}", {"a": "no-scheme"}, "uri_form"),
    ],
)
def test_what_is_no_template_or_not_its_values(template: str, values: dict[str, Any], reason: str) -> None:
    assert refused(template, values)[0] == reason


def test_what_may_be_left_out() -> None:
    assert filled("n://a{?b,c}{#d}", {"c": True}) == "n://a?c=true"


@pytest.mark.parametrize("uri", ["", "etc/passwd", "n://a b", "n://{a}", "n://a\n", "n:" + "x" * 9000, "://x"])
def test_what_is_no_uri_is_refused(uri: str) -> None:
    with pytest.raises(ValidationFailed):
        checked_uri(uri)


@given(st.text(max_size=60))
def test_no_value_leaves_a_simple_variable(value: str) -> None:
    try:
        uri = filled("notes://box/{name}/end", {"name": value})
    except ValidationFailed as error:
        assert climbs(value) or unquote(value)[:1] in ("/", "\\"), error
        return
    inner = uri.removeprefix("notes://box/").removesuffix("/end")
    assert "/" not in inner and ".." not in unquote(inner).split("/")
