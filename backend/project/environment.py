"""The environment as typed values (contract, "Settings"); the only place that reads it.

The secret keys are taken out of the process environment here, so that no child process and no trace can carry them.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
import secrets
import shlex
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import unquote

from cryptography.fernet import Fernet
from pydantic import Field, PrivateAttr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from backend.project.keys import NoKeys, keys_from_outside

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT if (ROOT / "manage.py").exists() else Path.cwd()
"""Where relative paths begin: the checkout, or the folder in which the installed command was started."""
Names = Annotated[list[str], NoDecode]
Grants = Annotated[list[tuple[str, str]], NoDecode]
"""(group or domain, "team:role") of `group=team:role` pairs."""
Weights = Annotated[dict[str, float], NoDecode]
Pairs = Annotated[dict[str, str], NoDecode]


Signal = Literal["traces", "metrics", "logs"]
SIGNALS: tuple[Signal, ...] = ("traces", "metrics", "logs")
_BASE = "exporter_otlp_"


class Otel(BaseSettings):
    """The standard settings of OpenTelemetry (`OTEL_*`), as far as they say whether, where and how a signal goes out.

    How much is queued, and how large an attribute may be, its SDK reads by itself.
    """

    model_config = SettingsConfigDict(
        env_prefix="OTEL_", extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    sdk_disabled: bool = False
    service_name: str = ""
    resource_attributes: Pairs = Field(default_factory=dict)
    traces_exporter: Literal["", "otlp", "none"] = ""
    metrics_exporter: Literal["", "otlp", "none", "prometheus"] = ""
    logs_exporter: Literal["", "otlp", "none"] = ""
    traces_sampler: Literal[
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
    ] = "parentbased_always_on"
    traces_sampler_arg: float = Field(1, ge=0, le=1)
    bsp_schedule_delay: int = Field(5000, gt=0)
    blrp_schedule_delay: int = Field(1000, gt=0)
    metric_export_interval: int = Field(60_000, ge=100)
    instrumentation_genai_capture_message_content: str = ""
    exporter_otlp_protocol: str = ""
    exporter_otlp_endpoint: str = ""
    exporter_otlp_headers: Pairs = Field(default_factory=dict)
    exporter_otlp_timeout: int = Field(10_000, gt=0)
    exporter_otlp_compression: Literal["none", "gzip", "deflate"] = "none"
    exporter_otlp_certificate: str = ""
    exporter_otlp_traces_protocol: str = ""
    exporter_otlp_traces_endpoint: str = ""
    exporter_otlp_traces_headers: Pairs = Field(default_factory=dict)
    exporter_otlp_traces_timeout: int = Field(0, ge=0)
    exporter_otlp_traces_compression: Literal["", "none", "gzip", "deflate"] = ""
    exporter_otlp_traces_certificate: str = ""
    exporter_otlp_metrics_protocol: str = ""
    exporter_otlp_metrics_endpoint: str = ""
    exporter_otlp_metrics_headers: Pairs = Field(default_factory=dict)
    exporter_otlp_metrics_timeout: int = Field(0, ge=0)
    exporter_otlp_metrics_compression: Literal["", "none", "gzip", "deflate"] = ""
    exporter_otlp_metrics_certificate: str = ""
    exporter_otlp_logs_protocol: str = ""
    exporter_otlp_logs_endpoint: str = ""
    exporter_otlp_logs_headers: Pairs = Field(default_factory=dict)
    exporter_otlp_logs_timeout: int = Field(0, ge=0)
    exporter_otlp_logs_compression: Literal["", "none", "gzip", "deflate"] = ""
    exporter_otlp_logs_certificate: str = ""

    @field_validator(
        "resource_attributes",
        *(f"{_BASE}{signal}headers" for signal in ("", "traces_", "metrics_", "logs_")),
        mode="before",
    )
    @classmethod
    def _pairs(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        if any(not name.strip() or not equals for name, equals, _ in pairs):
            raise ValueError("must be name=value pairs, separated by commas")
        return {unquote(name.strip()): unquote(raw.strip()) for name, _, raw in pairs}

    @model_validator(mode="after")
    def _sends(self) -> Otel:
        for signal in SIGNALS:
            url = self.endpoint(signal)
            if url and not re.fullmatch(r"https?://[^/\s?#]+\S*", url):
                raise ValueError(f"the OTLP endpoint for {signal} must be a web address")
            if url and self._of(signal, "protocol") not in ("", "http/protobuf"):
                raise ValueError("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf")
        return self

    def _of(self, signal: Signal, name: str) -> Any:
        return getattr(self, f"{_BASE}{signal}_{name}") or getattr(self, f"{_BASE}{name}")

    def endpoint(self, signal: Signal) -> str:
        """The address that takes a signal; "" = it does not go out. It does where an address is named, or `otlp`."""
        chosen = getattr(self, f"{signal}_exporter")
        if self.sdk_disabled or chosen not in ("", "otlp"):
            return ""
        own: str = getattr(self, f"{_BASE}{signal}_endpoint")
        base = self.exporter_otlp_endpoint or ("http://localhost:4318" if chosen == "otlp" else "")
        return own or (f"{base.rstrip('/')}/v1/{signal}" if base else "")

    def headers(self, signal: Signal) -> dict[str, str]:
        """What goes with every request; a secret, most often."""
        headers: dict[str, str] = self._of(signal, "headers")
        return headers

    def timeout_s(self, signal: Signal) -> float:
        """Seconds for one batch, with all that is tried again."""
        return float(self._of(signal, "timeout")) / 1000

    def compression(self, signal: Signal) -> str:
        """ "none", "gzip" or "deflate"."""
        return str(self._of(signal, "compression"))

    def certificate(self, signal: Signal) -> str:
        """A file of certificates that the collector's is checked against; "" = those of the other connections."""
        return str(self._of(signal, "certificate"))

    @property
    def on(self) -> bool:
        """Whether any signal goes out."""
        return any(self.endpoint(signal) for signal in SIGNALS)

    @property
    def content(self) -> bool:
        """Whether spans hold what was said to models and tools, and what they answered."""
        return self.instrumentation_genai_capture_message_content.lower() in (
            "true",
            "1",
            "span_only",
            "span_and_event",
        )


class Environment(BaseSettings):
    """Every setting with its default. Lists are comma-separated."""

    model_config = SettingsConfigDict(env_prefix="PATCHBAY_", extra="ignore")

    _mask_wrapped: ClassVar[bool] = True
    """What Django's settings ask a value each time it is read; pydantic looks long for what a class does not have."""

    host: str = "127.0.0.1"
    port: int = Field(8000, ge=1, le=65535)
    data_dir: Path = Path("var")
    url: str = ""
    database_url: str = Field("", validation_alias="DATABASE_URL")
    redis_url: str = Field("", validation_alias="REDIS_URL")
    secret_keys: Names = Field(default_factory=list)
    secret_keys_file: str = ""
    secret_keys_command: str = ""
    allow_stdio: bool | None = None
    stdio_commands: Names = Field(default_factory=list)
    stdio_env: Names | None = None
    stdio_own_env: Names = Field(default_factory=list)
    stdio_memory_mb: int = Field(4096, ge=0)
    stdio_file_mb: int = Field(4096, ge=0)
    stdio_home_mb: int = Field(8192, ge=0)
    stdio_files: int = Field(8192, ge=0)
    stdio_processes: int = Field(8192, ge=0)
    stdio_cpu_s: int = Field(0, ge=0)
    stdio_box: Literal["", "bwrap", "launcher", "landlock", "off"] = ""
    stdio_box_processes: int = Field(1024, ge=0)
    allow_loopback: bool | None = None
    outbound_allow: Names = Field(default_factory=list)
    trusted_proxies: Names = Field(default_factory=lambda: ["127.0.0.0/8", "::1"])
    sign_in_failures: int = Field(10, ge=0)
    require_second_factor: bool = False
    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = ""
    oidc_name: str = "single sign-on"
    oidc_scopes: Names = Field(default_factory=lambda: ["openid", "email", "profile"])
    oidc_groups_claim: str = "groups"
    oidc_groups: Grants = Field(default_factory=list)
    oidc_domains: Grants = Field(default_factory=list)
    oidc_check_s: int = Field(900, ge=60)
    oidc_unconfirmed_h: int = Field(168, ge=1)
    server_check_s: int = Field(900, ge=0)
    modelscope_url: str = "https://modelscope.cn/openapi/v1"
    outbound_proxy: str = ""
    ca_file: str = ""
    max_concurrent_runs: int = Field(30, ge=1)
    team_weights: Weights = Field(default_factory=dict)
    run_starts_per_15s: int = Field(5, ge=0)
    token_run_starts_per_min: int = Field(600, ge=0)
    waiting_per_token: int = Field(100, ge=0)
    team_run_starts_per_15s: int = Field(600, ge=0)
    rate_person_per_min: int = Field(3000, ge=0)
    rate_token_per_min: int = Field(3000, ge=0)
    rate_team_per_min: int = Field(12_000, ge=0)
    rate_connections_per_min: int = Field(60, ge=0)
    connections_per_person: int = Field(16, ge=0)
    sockets_per_person: int = Field(300, ge=0)
    sockets_per_token: int = Field(100, ge=0)
    idle_connections: int = Field(512, ge=16)
    worker_concurrency: int = Field(64, ge=1)
    lease_s: float = Field(15, gt=0)
    handover_s: float = Field(25, ge=0)
    elicitation_hold_s: float = Field(600, ge=0)
    triggers_per_team: int = Field(200, ge=0)
    hook_mb: float = Field(5, gt=0)
    hook_per_min: int = Field(60, ge=0)
    hook_queue: int = Field(100, ge=0)
    mcp_wait_s: float = Field(50, ge=0, le=60)
    agui_origins: Names = Field(default_factory=list)
    page_per_min: int = Field(60, ge=0)
    page_per_address: int = Field(20, ge=0)
    page_queue: int = Field(100, ge=0)
    page_mb: float = Field(5, gt=0)
    page_cost_per_day: float = Field(5, ge=0)
    call_max_s: float = Field(3600, gt=0)
    retention_days: int = Field(30, ge=0)
    audit_days: int = Field(365, ge=0)
    max_graph_mb: float = Field(10, gt=0)
    max_blob_mb: float = Field(64, gt=0)
    run_memory_mb: int = Field(1024, ge=0)
    run_cpu_s: float = Field(600, ge=0)
    min_free_mb: int = Field(64, ge=0)
    migrate_lock_s: int = Field(30, ge=1)
    metrics_token: str = ""
    trace_url: str = ""
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    debug: bool = False
    crash_at: str = ""
    """A point at which this process ends itself (`runs.crash`); honoured only with `debug`."""
    _keys_fetched: bool = PrivateAttr(False)
    """Whether `secret_keys` came from a file, a credential or a command."""
    _otel: Otel = PrivateAttr(default_factory=Otel)

    @field_validator(
        *("secret_keys", "stdio_commands", "stdio_env", "stdio_own_env", "outbound_allow", "trusted_proxies"),
        *("oidc_scopes", "agui_origins"),
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("team_weights", mode="before")
    @classmethod
    def _weights(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        return {slug.strip(): weight.strip() for slug, _, weight in pairs}

    @field_validator("team_weights")
    @classmethod
    def _shares(cls, value: dict[str, float]) -> dict[str, float]:
        for slug, weight in value.items():
            if not re.fullmatch(r"[-a-zA-Z0-9_]{1,80}", slug) or not 0.01 <= weight <= 100:
                raise ValueError("must be team=weight pairs: slugs of teams, weights from 0.01 to 100")
        return value

    @field_validator("oidc_groups", "oidc_domains", mode="before")
    @classmethod
    def _grants(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.strip().rpartition("=") for part in value.split(",") if part.strip()]
        for name, _, role in pairs:
            if not name or not re.fullmatch(r"[-a-zA-Z0-9_]{1,80}:(viewer|editor|admin)", role.strip()):
                raise ValueError("must be name=team:role pairs: slugs of teams, roles viewer, editor or admin")
        return [(name.strip(), given.strip()) for name, _, given in pairs]

    @model_validator(mode="after")
    def _provider(self) -> Environment:
        if self.oidc_issuer and not (self.oidc_client_id and re.match(r"https?://[^/\s]+", self.oidc_issuer)):
            raise ValueError("PATCHBAY_OIDC_ISSUER must be a web address, and needs PATCHBAY_OIDC_CLIENT_ID")
        return self

    @field_validator("trace_url")
    @classmethod
    def _leads_to_a_trace(cls, value: str) -> str:
        if value and not (re.match(r"https?://[^/\s]+", value) and "{trace_id}" in value):
            raise ValueError("must be a web address that contains {trace_id}")
        return value

    @field_validator("stdio_commands")
    @classmethod
    def _command_lines(cls, value: list[str]) -> list[str]:
        for line in value:
            shlex.split(line)  # a quotation without an end is told at start
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: list[str]) -> list[str]:
        return [str(ipaddress.ip_network(text, strict=False)) for text in value]

    @property
    def otel(self) -> Otel:
        """What goes out by OpenTelemetry."""
        return self._otel

    @property
    def mode(self) -> str:
        """ "scaled" when a Redis is named, else "embedded"."""
        return "scaled" if self.redis_url else "embedded"

    @property
    def stdio_allowed(self) -> bool:
        """Whether stdio servers may be started here: by default only when embedded and on loopback."""
        if self.allow_stdio is not None:
            return self.allow_stdio
        return self.mode == "embedded" and self.host in {"127.0.0.1", "localhost", "::1"}

    @property
    def loopback_allowed(self) -> bool:
        """Whether servers and providers on this machine are reached, by addresses that an admin typed."""
        return self.mode == "embedded" if self.allow_loopback is None else self.allow_loopback

    @property
    def data(self) -> Path:
        """The data directory, absolute, made when missing."""
        path = self.data_dir if self.data_dir.is_absolute() else HOME / self.data_dir
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path


_OTEL_SECRETS = tuple(f"OTEL_EXPORTER_OTLP_{signal}HEADERS" for signal in ("", "TRACES_", "METRICS_", "LOGS_"))


@cache
def environment() -> Environment:
    """The environment, read once; what is secret in it leaves `os.environ` here."""
    loaded = Environment()
    if not loaded.secret_keys:
        credentials = os.environ.get("CREDENTIALS_DIRECTORY", "")
        try:
            keys = keys_from_outside(loaded.secret_keys_file, credentials, loaded.secret_keys_command)
        except NoKeys as error:
            raise SystemExit(str(error)) from None
        loaded.secret_keys, loaded._keys_fetched = keys, bool(keys)
    for secret in ("PATCHBAY_SECRET_KEYS", "PATCHBAY_METRICS_TOKEN", "PATCHBAY_OIDC_CLIENT_SECRET", *_OTEL_SECRETS):
        os.environ.pop(secret, None)
    return loaded


def _once(path: Path, make: str) -> str:
    """The text of a private file, written first when it is not there: by one of all that may start just now."""
    if not path.exists():
        descriptor, written = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # 0600
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(make)
            with suppress(FileExistsError):
                os.link(written, path)
        finally:
            os.unlink(written)
    return path.read_text().strip()


def secret_keys(env: Environment) -> list[str]:
    """Keys for `secrets.cipher`, newest first: from the environment, else from the data directory's key file."""
    return env.secret_keys or _once(env.data / "secret.key", Fernet.generate_key().decode()).splitlines()


def django_keys(env: Environment) -> list[str]:
    """Django's SECRET_KEY (sessions, CSRF) and the earlier ones that still count.

    Scaled, they are made from the secret keys where those are given, so that all machines have the same without sharing
    a file; so they are wherever the keys are fetched from outside the data directory. Else a private file of its own.
    """
    keys = [hmac.digest(key.encode(), b"patchbay sessions", "sha256").hex() for key in env.secret_keys]
    if keys and (env.mode == "scaled" or env._keys_fetched):
        return keys
    return [_once(env.data / "django.key", secrets.token_urlsafe(48))]
