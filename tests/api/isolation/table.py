"""What a row of the table says, and what doors there are: Django's URL table, topics, tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from tests.api.isolation.tenant import Tenant

MEMBERS = ("viewer", "editor", "admin", "owner")
PERSON = "person"
"""Anybody who is signed in by session, in whatever team: the doors of allauth."""
OPERATOR = "operator"
"""Operators of the installation, by session: no role in any team comes to it, and no token."""
ANYONE = "anyone"
SAFE = frozenset({"GET", "*"})
Body = Callable[[Tenant], Any]

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True)
class Smuggled:
    """A request with one's own ids in the address and the other team's in the body, the query or a header.

    `status` 200 and the like mean: it is answered as if the other team's object did not exist.
    """

    what: str
    status: int
    body: Callable[[Tenant, Tenant], Any] | None = None
    query: Callable[[Tenant], str] | None = None
    headers: Callable[[Tenant], dict[str, str]] | None = None


@dataclass(frozen=True)
class Row:
    """One method of one address.

    `who` = the least role, or PERSON (a session in any team; no token), OPERATOR, or ANYONE. `ids` = parameter →
    field of `Tenant` (those that are not named take the field of their own name). `scope` = what a token needs, by
    default "read" for GET, "admin" for admins' deeds, else "edit". `ok` = the status for those who may (`also` =
    another one, where it hangs on who asks), `lacking` = for a member with too small a role, `nobody` = for the
    signed-out. `audit` = the action that the deed leaves in the audit trail when `by` does it; a method that may
    write and leaves none says why not in `silent`. `body` is sent as JSON, `upload` as a file. `at` = where to try
    an address that is a pattern. `bound` = what a token that is bound to workflows comes to: "" nothing, "its" what is
    of these workflows, "all" an answer in any case, in which nothing of other workflows stands.
    """

    method: str
    path: str
    who: str
    ok: int = 200
    ids: dict[str, str] = field(default_factory=dict)
    body: Body | None = None
    query: str = ""
    at: str = ""
    upload: bool = False
    scope: str = ""
    also: int = 0
    by: str = "owner"
    lacking: int = 403
    nobody: int = 401
    audit: str = ""
    silent: str = ""
    smuggled: tuple[Smuggled, ...] = ()
    bound: str = ""

    @property
    def name(self) -> str:
        """As failures call it."""
        return f"{self.method} {self.path}"

    @property
    def passes(self) -> set[int]:
        """The statuses for those who may."""
        return {self.ok, self.also or self.ok}

    @property
    def parameters(self) -> list[str]:
        """Names in the address."""
        return re.findall(r"{(\w+)}", self.path)

    @property
    def needs(self) -> str:
        """The scope that a token needs."""
        return self.scope or ("read" if self.method == "GET" else "admin" if self.who in {"admin", "owner"} else "edit")

    def address(self, tenant: Tenant) -> str:
        """The address with the objects of `tenant`."""
        path = self.at or self.path
        for name in self.parameters:
            path = path.replace(f"{{{name}}}", str(getattr(tenant, self.ids.get(name, name))))
        return path + self.query.replace("{mark}", tenant.mark)


def _written(route: str) -> str:
    """A route of Django's as the table writes it: `/api/runs/{key}`; patterns as they are."""
    return "/" + (route if route.startswith("^") else _PARAMETER.sub(r"{\1}", route))


def _methods(view: Any) -> list[str]:
    cls = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if cls is None:
        return ["*"]
    named = [name for name in cls.http_method_names if name not in {"head", "options"} and hasattr(cls, name)]
    return [name.upper() for name in named]


def doors(patterns: list[Any] | None = None, before: str = "") -> Iterator[tuple[str, str]]:
    """(method, address) of everything that Django answers; "*" where a function decides by itself."""
    for url_pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(url_pattern.pattern)
        if isinstance(url_pattern, URLResolver):
            yield from doors(url_pattern.url_patterns, route)
        elif isinstance(url_pattern, URLPattern):
            for method in _methods(url_pattern.callback):
                yield method, _written(route)
