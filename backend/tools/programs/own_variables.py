"""Which variables a server's configuration may set without asking: those that are plainly the server's own.

A list of what is allowed, not of what is not: a variable that nobody thought of asks the operator. What makes one the
server's own is the word it ends in: it names a key, an address of an API, an account, a plain setting. Paths, options,
commands, certificates and proxies are what loaders, runtimes and libraries read; none of those words is here. A family
of theirs (`NODE_…`, `UV_…`) asks whatever it ends in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_ACTS_AS = """
    KEY KEYS TOKEN TOKENS SECRET SECRETS PASSWORD PASSWD PASS PASSPHRASE PAT APIKEY CREDENTIAL CREDENTIALS AUTH
    AUTHORIZATION COOKIE SESSION SIGNATURE SALT PIN USER USERNAME LOGIN EMAIL ACCOUNT OWNER NAME ID IDS UUID ORG
    ORGANIZATION TENANT CLIENT APP WORKSPACE PROJECT PROJECTS TEAM SPACE GROUP
"""
_IS_AT = """
    URL URLS URI HOST HOSTS HOSTNAME PORT ENDPOINT DOMAIN SITE SERVER ADDRESS REGION ZONE CLUSTER CLOUD INSTANCE DSN
    CONNECTION DATABASE DB SCHEMA TABLE TABLES BUCKET QUEUE TOPIC INDEX COLLECTION NAMESPACE REPO REPOSITORY BRANCH
    CHANNEL CHANNELS BOARD
"""
_BEHAVES = """
    MODEL LANGUAGE LOCALE TIMEZONE TZ LEVEL LIMIT LIMITS TIMEOUT SECONDS MS INTERVAL RETRIES SIZE COUNT MAX MIN TTL
    DAYS PAGES RESULTS ENABLED DISABLED ENABLE DISABLE DEBUG VERBOSE READONLY ONLY MODE FORMAT STYLE VERSION SCOPE
    SCOPES PERMISSIONS ROLE ROLES TAGS TOOLS TOOLSETS FEATURES CURRENCY COUNTRY UNITS TEMPERATURE DIMENSIONS TRANSPORT
    THEME ENVIRONMENT STAGE TYPE KIND PREFIX SUFFIX
"""
_ENDINGS = frozenset(f"{_ACTS_AS} {_IS_AT} {_BEHAVES}".split())
_FAMILIES = re.compile(
    r"_|(LD|DYLD|GLIBC|GCONV|MALLOC|LC|LOCPATH|NLSPATH|TERM|TERMINFO|XDG|DBUS|SYSTEMD|PAM|KRB5|NSS|RES|HOSTALIASES"
    r"|OPENSSL|SSL|TLS|CURL|REQUESTS|HTTP|HTTPS|HTTPX|AIOHTTP|FTP|ALL|NO|SOCKS|RSYNC|WGET|GRPC"
    r"|PYTHON|PIP|PIPX|UV|POETRY|CONDA|VIRTUAL|VENV|NODE|NPM|NPX|YARN|PNPM|BUN|COREPACK|DENO|ELECTRON"
    r"|JAVA|JDK|JRE|JVM|CLASSPATH|MAVEN|GRADLE|KOTLIN|DOTNET|COMPLUS|CORECLR|CORHOST|NUGET|MONO|PERL|PERL5"
    r"|RUBY|GEM|BUNDLE|RUBYOPT|PHP|COMPOSER|LUA|GO|GOROOT|GOPATH|CARGO|RUST|RUSTUP|ERL|ELIXIR|R|TCL"
    r"|GIT|SSH|SVN|HG|GPG|GNUPG|DOCKER|CONTAINER|COMPOSE|BUILDKIT|PODMAN|KUBE|HELM|VAULT|SUDO|EDITOR|VISUAL|PAGER"
    r"|LESS|MAN|MAKE|BASH|ZSH|FISH|SHELL|ENV|PATH|HOME|IFS|PS4|PROMPT|CDPATH|TMPDIR|LOGNAME"
    r"|QT|GTK|GDK|GIO|GST|MESA|LIBGL|VK|DISPLAY|WAYLAND|CHROME|PLAYWRIGHT|PUPPETEER|SELENIUM|FONTCONFIG|MAGICK"
    r"|PG|PGSSLMODE|MYSQL|ODBC|ORACLE|TNS|PATCHBAY)(_|$)",
    re.IGNORECASE,
)
_PLAIN = frozenset({"TZ", "PORT", "HOST", "DEBUG", "LANGUAGE"})


def is_own(name: str) -> bool:
    """Whether a server's configuration may set the variable without an operator's word."""
    if name in _PLAIN:
        return True
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or _FAMILIES.match(name):
        return False
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper().split("_")
    return words[-1] in _ENDINGS


def not_own(names: Iterable[str]) -> list[str]:
    """Those of `names` that ask."""
    return sorted(name for name in names if not is_own(name))
