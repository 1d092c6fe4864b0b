"""What the API answers about people, teams and tokens, and shapes that several rooms' answers share."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from backend.accounts.actor import SCOPES
from backend.accounts.api.serializers import BudgetSerializer
from backend.accounts.described import Choices, EmailAddress, Help, Timestamp
from backend.accounts.models import Role
from backend.json_types import JsonLike, JsonObject


class SecretStateJson(TypedDict):
    """A secret as it is read: whether it is set, and its last characters."""

    set: bool
    hint: str


class StageJson(TypedDict):
    """One stage of a connection test; `ok` null = not reached."""

    name: str
    ok: bool | None
    ms: float
    detail: JsonLike | None


class WordsJson(TypedDict):
    """A text in both languages."""

    en: str
    zh: str


class TeamRefJson(TypedDict):
    """A team and one's role in it."""

    id: str
    name: str
    slug: str
    role: Annotated[str, Choices(Role.choices)]
    currency: Annotated[str, Help("Of prices, costs and budgets (ISO 4217).")]


class TeamJson(TeamRefJson):
    """The team acted in."""

    second_factor: Annotated[bool, Help("Whether its members need one.")]
    request_hosts: Annotated[
        list[str], Help("Hosts to which HTTP requests go unasked though an expression gives them.")
    ]
    budget: Annotated[JsonObject, BudgetSerializer]


class MeJson(TypedDict):
    """The person signed in."""

    id: str
    email: EmailAddress
    name: str
    language: Literal["en", "zh"]
    theme: Literal["system", "light", "dark"]
    auto_execute: bool
    operator: Annotated[bool, Help("Whether one is an operator of the installation.")]
    team: TeamRefJson
    teams: list[TeamRefJson]


class SetupJson(TypedDict):
    """What a one-time link is for; `email` is the person it signs in."""

    purpose: Literal["first_owner", "sign_in"]
    email: str


class TeamListJson(TypedDict):
    """One's teams."""

    results: list[TeamRefJson]
    next: str | None


class TokenOwnerJson(TypedDict):
    """For whom a token acts."""

    id: str
    email: str
    name: str


class TokenJson(TypedDict):
    """An API token; `scopes` empty = all that its member may. `token` is its text, only in the answer that makes it."""

    id: str
    name: str
    prefix: str
    scopes: list[Annotated[str, Choices(SCOPES)]]
    user: TokenOwnerJson
    created_at: Timestamp
    expires_at: Timestamp | None
    last_used_at: Timestamp | None
    approves_until: Annotated[
        Timestamp | None, Help("A token from before people alone could approve: until then it may.")
    ]
    workflows: Annotated[list[str], Help("Ids of the workflows that it is bound to; empty = it is not bound.")]
    networks: Annotated[list[str], Help("Where it works from (CIDR); empty = from everywhere.")]
    collection: Annotated[str | None, Help("The collection that it opens and nothing else; null = of none.")]
    audience: Annotated[
        str, Help("The one path that it opens, of a client that signed in by OAuth; empty = it was made here.")
    ]
    token: NotRequired[str]


class TokenListJson(TypedDict):
    """Tokens, newest first."""

    results: list[TokenJson]
    next: str | None
