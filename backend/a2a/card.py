"""An agent's card, made of the workflow: what it is called, what it takes, how one signs in."""

from __future__ import annotations

from typing import Any

from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    AuthorizationCodeOAuthFlow,
    HTTPAuthSecurityScheme,
    OAuth2SecurityScheme,
    OAuthFlows,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from a2a.utils.constants import PROTOCOL_VERSION_0_3, PROTOCOL_VERSION_1_0, TransportProtocol
from django.conf import settings

from backend.a2a.offered import Agent
from backend.a2a.placing import JSON, TEXT, fields_of, modes_of
from backend.a2a.wording import word
from backend.oauth.addresses import SCOPES, own_origin

SCHEME, SIGN_IN = "bearer", "oauth"
LONGEST = 4096
"""Characters of a description."""
MOST_INPUTS = 50
"""Inputs that a description names."""


def card_json(agent: Agent, language: str) -> dict[str, Any]:
    """The card as it is sent, with the members that clients of 0.3 look for. Touches the database."""
    return agent_card_to_dict(card_of(agent, language))


def card_of(agent: Agent, language: str) -> AgentCard:
    """The card. Touches the database."""
    workflow, schema = agent.workflow, agent.schema()
    takes = [mode for mode in modes_of(schema) if mode != JSON or not agent.chats]
    gives = [TEXT, JSON]
    skill = AgentSkill(
        id=workflow.slug,
        name=workflow.name,
        description=_described(agent, schema, language),
        tags=["workflow"],
        input_modes=takes,
        output_modes=gives,
    )
    versions = (PROTOCOL_VERSION_1_0, PROTOCOL_VERSION_0_3)
    return AgentCard(
        name=workflow.name,
        description=agent.description[:LONGEST],
        version=str(agent.version),
        provider=AgentProvider(organization=workflow.team.name, url=settings.PUBLIC_URL),
        documentation_url=f"{settings.PUBLIC_URL}/docs/{language}/sharing",
        supported_interfaces=[
            AgentInterface(url=agent.url, protocol_binding=TransportProtocol.JSONRPC.value, protocol_version=version)
            for version in versions
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False, extended_agent_card=False),
        security_schemes={
            SCHEME: SecurityScheme(
                http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="Bearer", description=word("bearer", language))
            ),
            SIGN_IN: SecurityScheme(oauth2_security_scheme=_sign_in(language)),
        },
        security_requirements=[
            SecurityRequirement(schemes={SCHEME: StringList(list=[])}),
            SecurityRequirement(schemes={SIGN_IN: StringList(list=["read", "run"])}),
        ],
        default_input_modes=takes,
        default_output_modes=gives,
        skills=[skill],
    )


def _sign_in(language: str) -> OAuth2SecurityScheme:
    """How a client gets a token by asking a member."""
    origin = own_origin("")
    flow = AuthorizationCodeOAuthFlow(
        authorization_url=f"{origin}/oauth/authorize",
        token_url=f"{origin}/oauth/token",
        refresh_url=f"{origin}/oauth/token",
        scopes={scope: word(f"scope_{scope}", language) for scope in SCOPES},
        pkce_required=True,
    )
    return OAuth2SecurityScheme(
        description=word("oauth", language),
        flows=OAuthFlows(authorization_code=flow),
        oauth2_metadata_url=f"{origin}/.well-known/oauth-authorization-server",
    )


def _described(agent: Agent, schema: dict[str, Any], language: str) -> str:
    """The description with the inputs, for a skill has no place for a schema."""
    needed = schema.get("required") or ()
    lines = []
    for name, about in list(fields_of(schema).items())[:MOST_INPUTS]:
        kind = "file" if about.get("format") == "file" else about.get("type")
        facts = [kind] if isinstance(kind, str) else []
        facts += [word("needed", language)] if name in needed else []
        note = about.get("description") or about.get("title")
        about_it = f" ({', '.join(facts)})" if facts else ""
        lines.append(f"- {name}{about_it}{f': {note}' if note else ''}")
    text = agent.description if not lines else "\n".join([agent.description, "", word("inputs", language), *lines])
    return text[:LONGEST]
