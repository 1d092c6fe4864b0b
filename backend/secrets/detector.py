"""Finds secrets by their value: known prefixes, JWT, PEM, passwords in addresses and connection strings, entropy.

Pure and linear in the text. Made for configurations (arguments, variables, headers, addresses), where a false find only
hides a value; still what looks like a package, path, version, digest or placeholder is left alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from backend.secrets.names import is_secret_name

MOST_CHARACTERS = 100_000
"""What stands behind is not looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Where in a text a secret stands, and which rule says so."""

    start: int
    end: int
    rule: str


_PREFIXES = (
    r"sk-(?:ant|proj|or|svcacct|admin|lf)-[\w-]{16,300}",
    r"sk-[A-Za-z0-9]{20,100}",
    r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,100}",
    r"gh[pousr]_[A-Za-z0-9]{30,255}",
    r"github_pat_\w{40,255}",
    r"gl(?:pat|ptt|dt|rt|soat|ft|agent)-[\w-]{16,100}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,250}",
    r"xapp-\d-[A-Za-z0-9-]{20,200}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
    r"AIza[\w-]{35}",
    r"ya29\.[\w-]{20,300}",
    r"LTAI[A-Za-z0-9]{12,24}",
    r"AKID[A-Za-z0-9]{13,40}",
    r"(?:hf|gsk|npm|tgp_v1|sbp|ntn|figd|shpat|shpss|glsa|glc|dapi|r8|rpa|lsv2_pt|lsv2_sk|nfp)_?[A-Za-z0-9_-]{30,200}",
    r"(?:lin_api|pscale_tkn|pscale_pw|dop_v1|doo_v1|dckr_pat|dp\.pt|hvs|hvb|whsec|secret|phx|phc|tfp|sntrys|sntryu)"
    r"[_.][A-Za-z0-9_.=-]{20,300}",
    r"pypi-AgEI[\w-]{30,300}",
    r"(?:tvly|xai|pplx|nvapi|fc|ctx7sk|PMAK|ms|jina|key|bsk)-[A-Za-z0-9_-]{20,200}",
    r"SG\.[\w-]{16,40}\.[\w-]{16,60}",
    r"ATATT3[\w=-]{30,300}",
    r"BSA[\w-]{26,40}",
    r"EAA[A-Za-z0-9]{40,300}",
    r"[0-9]{8,10}:AA[\w-]{30,40}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}",
)
_RULES = (
    ("pem", r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]{0,20000}(?:-----END[A-Z0-9 ]{0,40}-----)?"),
    ("jwt", r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8,4000}"),
    ("url_password", r"(?<=://)[^\s/?#@:]{0,200}:(?P<url_password>[^\s/?#@]{1,200})@"),
    (
        "connection_string",
        r"(?i:(?<![\w])(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature|access[_ ]?key|user[_ ]?token)"
        r"\s?=\s?)(?P<connection_string>[^;&\s'\"]{1,300})",
    ),
    ("authorization", r"(?i:\b(?:bearer|basic)\s+)(?P<authorization>[A-Za-z0-9._~+/=-]{8,4000})"),
    ("prefix", r"(?<![A-Za-z0-9])(?:" + "|".join(_PREFIXES) + r")(?![A-Za-z0-9])"),
)
_KNOWN = re.compile("|".join(f"(?P<r_{name}>{pattern})" for name, pattern in _RULES))
_NAMED = re.compile(r"(?<![\w.{$-])([A-Za-z][\w.-]{0,80})(?:=|:(?!//)\s?)(?!(?i:bearer|basic|token)\s)")
_VALUE = re.compile(r"[^\s&;,'\"]{4,2000}")
_LONG = re.compile(r"(?<![A-Za-z0-9+/_.@#-])(?<!sha256:)(?<!sha512:)[A-Za-z0-9+/_-]{20,500}={0,2}(?![A-Za-z0-9+/_-])")
_HOLLOW = re.compile(
    r"\$|\{|<|%[A-Z_]+%|····|(?i:your|example|placeholder|changeme|redacted|x{4}|\*{3})"
    r"|(?i:true|false|none|null|auto|env|file|prompt|required|optional|default|\d{1,10}|/.*|\./.*|~.*)$"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORDLIKE = re.compile(r"[A-Z]?[a-z]{1,24}|[A-Z]{1,16}|[a-z]{1,12}\d{1,4}|\d{1,8}|v\d{1,4}", re.ASCII)


def findings(text: str, name: str = "") -> list[Finding]:
    """The secrets in `text`, in order. `name` = of the variable, header or flag that the text is the value of."""
    text = text[:MOST_CHARACTERS]
    if name and is_secret_name(name) and _says_something(text.strip()):
        return [Finding(0, len(text), "name")]
    candidates = [_finding(match) for match in _KNOWN.finditer(text)]
    for match in _NAMED.finditer(text):
        value = _VALUE.match(text, match.end()) if is_secret_name(match.group(1)) else None
        if value:
            candidates.append(Finding(value.start(), value.end(), "name"))
    candidates += [
        Finding(match.start(), match.end(), "entropy") for match in _LONG.finditer(text) if is_random(match.group())
    ]
    return _apart([item for item in candidates if _says_something(text[item.start : item.end], item.rule)])


def hide(text: str, mask: str, name: str = "") -> str:
    """`text` with `mask` for each secret in it."""
    for finding in reversed(findings(text, name)):
        text = text[: finding.start] + mask + text[finding.end :]
    return text


def path_holds_secret(path: str) -> bool:
    """Whether a part of an address's path is a key: found by its value, or a UUID, which there is a capability."""
    parts = path.split("/")
    return any(_UUID.fullmatch(part) or findings(part) for part in parts[:100])


def is_random(word: str) -> bool:
    """Whether a word is one that nobody made up: long hex, or mixed letters and digits of high entropy.

    Words with separators, paths and package names are told apart by their parts.
    """
    bare = word.rstrip("=")
    if _UUID.fullmatch(bare):
        return False
    if re.fullmatch(r"[0-9a-f]{32,500}|[0-9A-F]{32,500}", bare):
        return entropy(bare) > 2.5
    parts = [part for part in re.split(r"[-_/+]", bare) if part]
    if all(_WORDLIKE.fullmatch(part) for part in parts):
        return False
    longest = max(parts, key=len, default="")
    kinds = sum(any(test(c) for c in longest) for test in (str.isdigit, str.islower, str.isupper))
    digits = sum(map(str.isdigit, longest))
    return len(longest) >= 16 and kinds >= 2 and digits >= 2 and entropy(longest) >= 3.4


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values()) if text else 0.0


def _finding(match: re.Match[str]) -> Finding:
    rule = str(match.lastgroup)
    for name, _ in _RULES:
        if match.group(f"r_{name}") is not None:
            rule = name
            break
    inner = rule if rule in match.re.groupindex and match.group(rule) is not None else f"r_{rule}"
    return Finding(match.start(inner), match.end(inner), rule)


def _says_something(value: str, rule: str = "name") -> bool:
    """Whether a value is one at all: no placeholder, reference, switch, number or path."""
    if rule in {"pem", "jwt"}:
        return True
    return bool(value) and not (_HOLLOW.match(value) or "${" in value or "····" in value or "<" in value)


def _apart(findings: list[Finding]) -> list[Finding]:
    """Findings in order; overlapping ones as one."""
    kept: list[Finding] = []
    for item in sorted(findings, key=lambda item: (item.start, -item.end)):
        if kept and item.start < kept[-1].end:
            if item.end > kept[-1].end:
                kept[-1] = Finding(kept[-1].start, item.end, kept[-1].rule)
            continue
        kept.append(item)
    return kept
