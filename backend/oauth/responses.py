"""What the API answers to the page on which a member decides about a client."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from backend.accounts.described import Choices, Help
from backend.oauth.addresses import SCOPES
from backend.oauth.asking import Ask
from backend.oauth.granting import DAYS
from backend.oauth.places import Place
from backend.oauth.redirects import host_of, is_loopback


class AskingClientJson(TypedDict):
    """The client that asks; nobody checked its name."""

    id: Annotated[str, Help("Its id: given when it registered, or the address of its document.")]
    name: str
    host: Annotated[str, Help("Where its document stands, which is proven; empty = it registered itself.")]


class ClientAskJson(TypedDict):
    """What a client asks a member for."""

    client: AskingClientJson
    redirect_uri: Annotated[str, Help("Where the browser goes with the answer.")]
    redirect_host: str
    this_machine: Annotated[bool, Help("Whether that is a program on the machine where the browser is.")]
    address: Annotated[str, Help("The address that it is for.")]
    collection: Annotated[str | None, Help("The name of the collection at that address; null = there is none.")]
    agent: Annotated[str | None, Help("The name of the agent at that address; null = there is none.")]
    team: Annotated[str | None, Help("The id of the team whose it is, in which alone it can be allowed.")]
    scopes: list[Annotated[str, Choices(SCOPES)]]
    days: Annotated[list[int], Help("For how many days it can be allowed.")]
    ticket: Annotated[str, Help("What is sent back with the decision: good in this browser for ten minutes.")]


class ClientAnswerJson(TypedDict):
    """The decision was kept."""

    location: Annotated[str, Help("Where the browser goes now.")]


def ask_json(ask: Ask, ticket: str, place: Place) -> ClientAskJson:
    """A request as the page shows it."""
    return {
        "client": {"id": ask.client, "name": ask.name, "host": ask.host},
        "redirect_uri": ask.redirect_uri,
        "redirect_host": host_of(ask.redirect_uri),
        "this_machine": is_loopback(ask.redirect_uri),
        "address": f"{ask.origin}{ask.audience}",
        "collection": place.name if place.kind == "collection" else None,
        "agent": place.name if place.kind == "agent" else None,
        "team": place.team or None,
        "scopes": list(ask.scopes),
        "days": list(DAYS),
        "ticket": ticket,
    }


def answered(location: str) -> dict[str, Any]:
    """Where the browser goes."""
    return {"location": location}
