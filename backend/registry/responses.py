"""What the API answers about servers and presets, in the reader's language, never a secret."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.accounts.responses import SecretStateJson, StageJson, WordsJson
from backend.json_types import JsonLike, JsonObject
from backend.registry.configuration.example_words import server_text
from backend.registry.configuration.oauth_client import BY_PERSON
from backend.registry.configuration.server_fields import masked_url, secret_states
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.models import Declaration, Server
from backend.registry.programs.approvals import Approvals
from backend.registry.programs.boxes import box_json
from backend.registry.programs.packages import declared_package_json, package_json
from backend.registry.programs.responses import ApprovalJson, BoxJson, PackageJson
from backend.registry.programs.serializers import FolderSerializer
from backend.registry.tools.responses import ToolJson
from backend.secrets import user_credentials
from backend.secrets.models import Credential
from backend.secrets.responses import OwnCredentialsJson, TestedStatusJson, tested_status
from backend.secrets.services import hint_of
from backend.secrets.user_credentials import Values


class DeclaredJson(TypedDict):
    """What a server declared when it was last connected to."""

    era: Annotated[Literal["modern", "handshake"], Help("modern: without sessions, since 2026-07-28.")]
    capabilities: Annotated[list[str], Help("`resources`, `resources.subscribe` and so on.")]
    extensions: list[str]
    instructions: Annotated[str, Help("What it says of its use; its first 1,000 characters.")]


class ServerStatusJson(TestedStatusJson):
    """What the last test, refresh or connection found."""

    protocol: str | None
    server_name: str | None
    server_version: str | None
    tool_count: int | None
    since: Annotated[Timestamp | None, Help("Since when it fails; null while it answers.")]
    declared: Annotated[DeclaredJson | None, Help("null until a connection was made.")]


class ServerConnectionJson(TypedDict):
    """What a server is called and how it is reached or started."""

    id: str
    name: str
    slug: str
    description: str
    kind: Annotated[str, Choices(Server.Kind.choices), Help("agent: of others, by A2A; its skills are the tools.")]
    transport: Annotated[str, Choices(Server.Transport.choices)]
    url: Annotated[str, Help("Masked where url_secret is on.")]
    url_secret: bool
    document_url: Annotated[str, Help("Of an API: where its document is read, of an agent its card; may be empty.")]
    expires_at: Timestamp | None
    command: str
    args: list[str]
    env: dict[str, str]
    secret_env: dict[str, SecretStateJson]
    cwd: str


class ServerAuthJson(TypedDict):
    """What a server is shown of who calls it: which secrets there are, never their values."""

    auth_type: Annotated[str, Choices(Server.AuthType.choices)]
    api_key_set: bool
    api_key_hint: str
    api_key_header: str
    api_key_in: Annotated[str, Choices(Server.KeyPlace.choices)]
    oauth_client_id: Annotated[str, Help("Entered by a person; empty where Patchbay introduces itself.")]
    oauth_client_secret_set: bool
    oauth_grant: Annotated[
        Literal["authorization_code", "client_credentials"], Help("Whether a person signs in, or Patchbay itself.")
    ]
    oauth_client_auth: Annotated[
        Literal["", "client_secret_basic", "client_secret_post", "private_key_jwt"],
        Help("How Patchbay itself proves who it is; empty = a secret, sent as the authorization server takes it."),
    ]
    oauth_private_key_set: bool
    oauth_signing_alg: Annotated[str, Help("ES256 or RS256, by the private key; empty where there is none.")]
    oauth_key_id: str
    headers: dict[str, str]
    secret_headers: dict[str, SecretStateJson]


class ServerRulesJson(TypedDict):
    """Who may use a server, and within what bounds."""

    timeout_ms: int
    preset: str
    modelscope_id: NotRequired[Annotated[str, Help("Of a server that ModelScope hosts: its name there.")]]
    visibility: Annotated[str, Choices(Server.Visibility.choices)]
    enabled: bool
    session: Annotated[str, Choices(Server.Session.choices)]
    credentials: Annotated[str, Choices(Server.Credentials.choices)]
    own_credentials: Annotated[
        OwnCredentialsJson | None, Help("What you entered for yourself; null where credentials are shared.")
    ]
    asks: bool
    trust_annotations: bool
    max_runs: Annotated[int | None, Help("So many runs use it at once at most; null = no limit.")]
    max_calls: Annotated[int | None, Help("One connection carries so many calls at once at most; null = 64.")]
    approval: Annotated[ApprovalJson | None, Help("null where it starts no program.")]
    box: Annotated[
        Annotated[str, Choices(Server.Box.choices)],
        Help("undecided: as before there were boxes, until somebody decides."),
    ]
    folders: Annotated[list[JsonObject], FolderSerializer] | None
    network: bool
    boxed_as: Annotated[BoxJson | None, Help("What comes of it here; null where nothing is started.")]
    package: Annotated[PackageJson | None, Help("null where neither npx nor uvx starts it.")]


class ServerJson(ServerConnectionJson, ServerAuthJson, ServerRulesJson):
    """A registered MCP server. Secrets are never read back."""

    status: ServerStatusJson
    workflows: Annotated[int, Help("How many workflows name this server.")]
    changed_tools: Annotated[int, Help("Tools whose definition changed and waits to be accepted.")]
    created_by: str | None
    created_at: Timestamp
    updated_at: Timestamp


class ServerCountsJson(TypedDict):
    """How many servers the reader sees, whatever they search for; `attention`: those that someone should look at."""

    all: int
    attention: int


class ServerListJson(TypedDict):
    """A page of servers."""

    results: list[ServerJson]
    next: str | None
    counts: Annotated[ServerCountsJson | None, Help("null on the pages that follow the first.")]


class ExchangeJson(TypedDict):
    """Status and headers of one HTTP answer, and of what was asked, without secrets."""

    method: str
    url: str
    sent: Annotated[dict[str, str], Help("Headers of the request.")]
    status: int
    headers: Annotated[dict[str, str], Help("Headers of the answer.")]


class MessageJson(TypedDict):
    """One message on the wire, masked."""

    at_ms: Annotated[float | None, Help("Milliseconds since the beginning.")]
    direction: Literal["out", "in"]
    message: NotRequired[JsonLike]
    raw: NotRequired[Annotated[str, Help("What was no message, or one too long to show whole.")]]
    http: NotRequired[Annotated[ExchangeJson, Help("Instead of both: how HTTP answered what went out before.")]]


class ServerIdentityJson(TypedDict):
    """What a server calls itself."""

    name: str | None
    version: str | None


class TestJson(TypedDict):
    """A connection test: every stage with its time; the first that failed says why and what to do."""

    ok: bool
    stages: list[StageJson]
    code: str | None
    message: str
    hint: str
    messages: list[MessageJson]
    stderr: Annotated[list[str], Help("Last lines of a program, masked.")]
    ms: float
    protocol: str | None
    server: ServerIdentityJson
    capabilities: JsonLike
    tools: list[ToolJson]
    tool_count: Annotated[int, Help("How many tools were found, also those that are not carried here.")]


class CallJson(TypedDict):
    """A tool's answer and the raw messages around it."""

    content: list[JsonLike]
    structured: JsonLike | None
    text: str
    is_error: bool
    ms: float
    messages: list[MessageJson]


_PresetFieldJson = TypedDict("_PresetFieldJson", {"in": Literal["env", "header", "url", "arg"]})


class PresetFieldJson(_PresetFieldJson):
    """A value that a preset asks for. `in` says where it goes; only `arg` is no secret."""

    name: str
    placeholder: NotRequired[str]
    label: WordsJson
    required: bool


class PresetJson(TypedDict):
    """A ready configuration that lacks only what `secrets` and `inputs` name."""

    id: str
    kind: Literal["modelscope", "reference", "custom"]
    name: WordsJson
    description: WordsJson
    transport: Annotated[str, Choices(Server.Transport.choices)]
    url: NotRequired[str]
    command: NotRequired[str]
    args: NotRequired[list[str]]
    modelscope_id: NotRequired[str]
    page: NotRequired[Annotated[str, Help("A page that says more.")]]
    secrets: list[PresetFieldJson]
    inputs: list[PresetFieldJson]
    tools: list[str]
    available: Annotated[bool, Help("False where this installation starts no programs.")]


class PresetListJson(TypedDict):
    """All presets."""

    results: list[PresetJson]
    next: str | None


class DeclarationJson(TypedDict):
    """A server declared inside a document, by the hash of its configuration."""

    hash: str
    name: str
    config: JsonLike
    workflow: str
    state: Annotated[str, Choices(["waiting", "approved", "rejected"])]
    decided_by: str | None
    decided_at: Timestamp | None
    created_at: Timestamp
    approval: Annotated[ApprovalJson | None, Help("null where it starts no program.")]
    package: Annotated[PackageJson | None, Help("null where neither npx nor uvx starts it.")]
    changed: Annotated[int, Help("Of an agent: how many skills changed and wait to be accepted.")]


class DeclaredCardJson(TypedDict):
    """What the card of an agent says, as it was read last."""

    name: str
    version: str
    description: str
    url: Annotated[str, Help("Where its messages go, on the host that is declared.")]
    protocol: str
    read_at: Timestamp


class DeclaredAgentJson(TypedDict):
    """An agent that is declared inside a document."""

    hash: str
    card: Annotated[DeclaredCardJson | None, Help("null until it was first read, which takes an approval.")]
    version: Annotated[str, Help("Names the skills as they are listed now, to be accepted.")]
    changed: Annotated[int, Help("How many skills changed and wait to be accepted.")]
    skills: list[ToolJson]


class DeclarationListJson(TypedDict):
    """A page of declarations."""

    results: list[DeclarationJson]
    next: str | None


class ServerOffJson(TypedDict):
    """A server that is switched off for models."""

    id: str
    slug: str
    name: str


class ServersOffJson(TypedDict):
    """Servers that models in one's own runs may not choose tools from."""

    servers: list[ServerOffJson]


def status_json(status: dict[str, Any], language: str) -> ServerStatusJson:
    """A stored status (`{state, code, params, …}`) with its sentences."""
    return {
        **tested_status(status, language),
        "protocol": status.get("protocol"),
        "server_name": status.get("server_name"),
        "server_version": status.get("server_version"),
        "tool_count": status.get("tool_count"),
        "since": status.get("since"),
        "declared": status.get("declared"),
    }


def server_json(
    server: Server,
    language: str,
    used_by: dict[str, int] | None = None,
    mine: Credential | None = None,
    approvals: Approvals | None = None,
) -> ServerJson:
    """A server. `used_by` = number of workflows by slug or id; `server.changed_tools` where it was counted.

    `mine` = what the reader entered for themself, where each member does: status and hints are of that.
    """
    counts = used_by or {}
    held, status = server.secrets, server.status
    if SERVERS.is_per_user(server):
        held, status = user_credentials.filled(held, mine.values if mine else {}), mine.status if mine else {}
    shown: ServerJson = {
        **_connection_json(server, held, language),
        **_auth_json(server, held),
        **_rules_json(server, mine, approvals or Approvals(server.team_id)),
        "status": status_json(status, language),
        "workflows": counts.get(server.slug, 0) + counts.get(server.id, 0),
        "changed_tools": getattr(server, "changed_tools", 0),
        "created_by": server.created_by_id,
        "created_at": server.created_at,
        "updated_at": server.updated_at,
    }
    if server.modelscope_id:
        shown["modelscope_id"] = server.modelscope_id
    return shown


def _connection_json(server: Server, held: Values, language: str) -> ServerConnectionJson:
    return {
        "id": server.id,
        "name": server_text(server.slug, server.name, language),
        "slug": server.slug,
        "description": server_text(server.slug, server.description, language),
        "kind": server.kind,
        "transport": server.transport,
        "url": masked_url(server),
        "url_secret": server.url_secret,
        "document_url": server.document_url,
        "expires_at": server.expires_at,
        "command": server.command,
        "args": server.args,
        "env": server.env,
        "secret_env": secret_states(held, "env"),
        "cwd": server.cwd,
    }


def _auth_json(server: Server, held: Values) -> ServerAuthJson:
    key, client = held.get("api_key") or "", server.secrets.get("client", {})
    return {
        "auth_type": server.auth_type,
        "api_key_set": bool(key),
        "api_key_hint": hint_of(key) if key else "",
        "api_key_header": server.api_key_header,
        "api_key_in": server.api_key_in,
        "oauth_client_id": client.get("id", ""),
        "oauth_client_secret_set": bool(client.get("secret")),
        "oauth_grant": client.get("grant", BY_PERSON),
        "oauth_client_auth": client.get("auth", ""),
        "oauth_private_key_set": bool(client.get("key")),
        "oauth_signing_alg": client.get("alg", ""),
        "oauth_key_id": client.get("kid", ""),
        "headers": server.headers,
        "secret_headers": secret_states(held, "headers"),
    }


def _rules_json(server: Server, mine: Credential | None, approvals: Approvals) -> ServerRulesJson:
    return {
        "timeout_ms": server.timeout_ms,
        "preset": server.preset,
        "visibility": server.visibility,
        "enabled": server.enabled,
        "session": server.session,
        "credentials": server.credentials,
        "own_credentials": SERVERS.own_json(server, mine),
        "asks": server.asks,
        "trust_annotations": server.trust_annotations,
        "max_runs": server.max_runs,
        "max_calls": server.max_calls,
        "approval": approvals.of_server(server),
        "box": server.box,
        "folders": server.folders,
        "network": server.network,
        "boxed_as": box_json(server),
        "package": package_json(server),
    }


def declaration_json(row: Declaration, approvals: Approvals | None = None) -> DeclarationJson:
    """A declared server. Secrets stand in it by name only."""
    return {
        "hash": row.hash,
        "name": row.name,
        "config": row.config,
        "workflow": row.workflow,
        "state": row.state,
        "decided_by": row.decided_by.email if row.decided_by else None,
        "decided_at": row.decided_at,
        "created_at": row.created_at,
        "approval": (approvals or Approvals(row.team_id)).of_declaration(row),
        "package": declared_package_json(row),
        "changed": row.changed,
    }
