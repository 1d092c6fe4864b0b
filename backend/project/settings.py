"""Django's settings, made from `environment.py`."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import unquote, urlsplit

from backend.project.environment import ROOT, django_keys, environment, secret_keys
from backend.secrets import cipher
from backend.version import VERSION

ENV = environment()
TESTING = "pytest" in sys.modules
cipher.configure(secret_keys(ENV))

BASE_DIR = ROOT
WEB = ROOT / "backend" / "project" / "web"
DEBUG = ENV.debug
SECRET_KEY, *SECRET_KEY_FALLBACKS = django_keys(ENV)
_LOCAL = {"127.0.0.1", "::1", "0.0.0.0"}  # noqa: S104 - compared, not bound
PUBLIC_URL = ENV.url.rstrip("/") or f"http://{'localhost' if ENV.host in _LOCAL else ENV.host}:{ENV.port}"
_public = urlsplit(PUBLIC_URL)
SECURE = _public.scheme == "https"
ALLOWED_HOSTS = sorted({_public.hostname or "localhost", "localhost", "127.0.0.1", "[::1]", ENV.host})
CSRF_TRUSTED_ORIGINS = sorted(
    {f"{_public.scheme}://{_public.netloc}", f"http://localhost:{ENV.port}", f"http://127.0.0.1:{ENV.port}"}
)

INSTALLED_APPS = [
    "daphne",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.headless",
    "backend.accounts",
    "backend.secrets",
    "backend.sso",
    "backend.oauth",
    "backend.files",
    "backend.server_signin",
    "backend.registry",
    "backend.providers",
    "backend.workflows",
    "backend.runs",
    "backend.tool_collections",
    "backend.agui",
    "backend.triggers",
    "backend.a2a",
    "backend.project",
]
MIDDLEWARE = [
    "backend.project.serving.middleware.request_ids",
    "backend.project.serving.middleware.security_headers",
    "backend.project.serving.middleware.behind_proxy",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "backend.project.serving.compression.compress_json",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "backend.project.serving.middleware.readers_language",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "backend.project.urls"
ASGI_APPLICATION = "backend.project.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates", ROOT / "backend" / "project" / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database(url: str) -> dict[str, Any]:
    """Django's entry for DATABASE_URL; without one SQLite (WAL, immediate transactions) in the data directory."""
    if not url or url.startswith("sqlite"):
        name = unquote(urlsplit(url).path[1:]) if url else str(ENV.data / "patchbay.sqlite3")
        return {
            "ENGINE": "backend.database.sqlite",
            "CONN_MAX_AGE": None,  # threads live long and keep theirs
            "NAME": name,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; "
                "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
                "PRAGMA secure_delete=ON",  # what is deleted is overwritten in the file
            },
            # A file, so that threads (worker, journal, server) share it in tests as they do in production.
            "TEST": {"NAME": str(ENV.data / f"test-{ENV.port}.sqlite3")},
        }
    from backend.project.postgres import TimedCursor, connection_options

    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "OPTIONS": {"cursor_factory": TimedCursor, **connection_options(ENV.lease_s, testing=TESTING)},
    }


DATABASES = {"default": _database(ENV.database_url)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
if TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ACCOUNT_ADAPTER = "backend.accounts.api.adapter.InvitedOnly"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
HEADLESS_ONLY = True
HEADLESS_CLIENTS = ["browser"]
HEADLESS_FRONTEND_URLS: dict[str, str] = {"account_reset_password_from_key": "/reset/{key}", "account_signup": "/"}
MFA_ADAPTER = "backend.secrets.two_factor.EncryptedFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_TOTP_TOLERANCE = 1  # a code is good half a minute longer, for clocks that differ
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

SESSION_COOKIE_NAME = "patchbay_session"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = SECURE
CSRF_COOKIE_NAME = "patchbay_csrf"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SECURE
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if SECURE else 0
# Subdomains and browsers' preload lists are the operator's to decide about, not ours (W005, W021). What came to the
# proxy in the clear is sent to https by `behind_proxy`; a redirect of Django's would lead in circles behind a proxy
# that does not say how a request came (W008).
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "backend.project.serving.middleware.csrf_failure"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [path for path in (ROOT / "static", WEB) if path.exists()]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
WHITENOISE_ALLOW_ALL_ORIGINS = False


def WHITENOISE_IMMUTABLE_FILE_TEST(path: str, url: str) -> bool:
    """Built files carry a hash in their names and never change."""
    return url.startswith("/static/app/assets/")


DATA_UPLOAD_MAX_MEMORY_SIZE = int((ENV.max_graph_mb + 2) * 1024 * 1024)

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "backend.accounts.auth.authentication.TokenAuthentication",
        "backend.accounts.auth.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["backend.web.permissions.IsMember"],
    "DEFAULT_RENDERER_CLASSES": ["backend.web.json_answers.AnswerRenderer"],
    "DEFAULT_PARSER_CLASSES": ["backend.web.bodies.JsonParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "backend.web.rest.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Patchbay",
    "DESCRIPTION": "The visual workbench for MCP: servers, workflows, runs.",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": True,
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "backend.project.openapi.complete",
    ],
    "ENUM_NAME_OVERRIDES": {
        "ScopesEnum": "backend.accounts.actor.SCOPES",
        "ClientScopesEnum": "backend.oauth.addresses.SCOPES",
        "ApproversEnum": "backend.tools.approvers.RULES",
        "RunStateEnum": "backend.runs.models.RunState",
        "RiskLevelEnum": ["LOW", "MEDIUM", "HIGH"],
        "ConnectionStateEnum": ["ok", "error", "unknown"],
        "BudgetStateEnum": ["ok", "near", "reached"],
        "OwnStateEnum": ["set", "missing"],
        "EffectEnum": ["read", "idempotent", "write"],
        "RepeatedEffectEnum": ["write", "idempotent"],
        "TestedStatusEnum": ["same", "differs", "missing", "unreached", "new"],
        "AllowanceKindEnum": "backend.accounts.models.Allowance.Kind",
        "OfferedEnum": ["resource", "template", "prompt"],
        "MarkEnum": ["added", "changed"],
        "ServerBoxEnum": "backend.registry.models.Server.Box",
        "OutcomeEnum": ["done", "failed", "unknown"],
        "TriggerKindEnum": "backend.triggers.models.Trigger.Kind",
        "DeliveryOutcomeEnum": "backend.triggers.models.Delivery.Outcome",
        "ChosenBoxEnum": ["boxed", "open"],
        "HealthStatusEnum": ["ok", "starting", "error"],
        "TransportEnum": "backend.registry.models.Server.Transport",
        "HostedTransportEnum": ["http", "sse"],
        "VisitStateEnum": ["working", "waiting", "done", "failed"],
    },
}

if ENV.redis_url:
    CACHES = {"default": {"BACKEND": "backend.project.shared_cache.SharedCache", "LOCATION": ENV.redis_url}}

CELERY_BROKER_URL = ENV.redis_url or "memory://"  # embedded, nothing is sent: the worker is called directly
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = ENV.worker_concurrency
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # without hints the reaper works on; they come back with the broker
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"socket_connect_timeout": 2, "socket_timeout": 10, "socket_keepalive": True} if ENV.redis_url else {}
)

CHANNEL_LAYERS = (
    {"default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [ENV.redis_url]}}}
    if ENV.redis_url
    else {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
)

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"text": {"()": "backend.project.logs.TextLines"}, "json": {"()": "backend.project.logs.JsonLines"}},
    "filters": {"context": {"()": "backend.project.logs.Context"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": ENV.log_format, "filters": ["context"]},
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "backend": {"level": ENV.log_level.upper()},
        "django.request": {"level": "ERROR"},
        "httpx2": {"level": "WARNING"},
        "mcp": {"level": "ERROR"},
        "a2a": {"level": "CRITICAL"},  # it takes a client's bad request for a failure, and tells what stood in it
    },
}

PATCHBAY = ENV
"""The typed environment, for `django.conf.settings.PATCHBAY`."""
