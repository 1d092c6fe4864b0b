"""Examples of the providers' operations, as the API answered them."""

from __future__ import annotations

from typing import Any

MODELS: list[dict[str, Any]] = [
    {
        "id": "qwen3:8b",
        "context": 40960,
        "input_price": 0.5,
        "cached_price": 0.05,
        "output_price": 2.0,
        "features": ["tools", "reasoning"],
    },
    {
        "id": "llava:7b",
        "context": None,
        "input_price": None,
        "cached_price": None,
        "output_price": None,
        "features": None,
    },
]
PROVIDER: dict[str, Any] = {
    "id": "prv_01m80hbd2yr95maj4ykygdtxbk",
    "name": "Our models",
    "slug": "our-models",
    "preset": "",
    "base_url": "https://models.example.org/v1",
    "api_key_set": True,
    "api_key_hint": "····1234",
    "headers": {"X-Team": "platform"},
    "secret_headers": {},
    "timeout_ms": 600000,
    "connect_timeout_ms": 10000,
    "first_token_timeout_ms": 120000,
    "idle_timeout_ms": 60000,
    "models": MODELS,
    "visibility": "team",
    "credentials": "shared",
    "own_credentials": None,
    "enabled": True,
    "status": {
        "state": "ok",
        "code": None,
        "checked_at": "2026-11-22T02:31:07.412Z",
        "latency_ms": 41.7,
        "model": "qwen3:8b",
        "model_count": 2,
        "message": "",
        "hint": "",
    },
    "created_by": "usr_01m80hbd2c9wwj39w0zmr31zcw",
    "created_at": "2026-11-22T02:28:49.375935Z",
    "updated_at": "2026-11-22T02:31:07.420113Z",
}


def _stage(name: str, ok: bool | None, ms: float, detail: Any = None, **words: Any) -> dict[str, Any]:
    return {"name": name, "ok": ok, "ms": ms, "detail": detail, "code": None, "message": "", "hint": ""} | words


TEST: dict[str, Any] = {
    "ok": True,
    "stages": [
        _stage("url", True, 0.1),
        _stage("dns", True, 12.4, {"addresses": ["203.0.113.7"]}),
        _stage("tcp", True, 8.9),
        _stage("tls", True, 21.3),
        _stage("http", True, 41.7),
        _stage("auth", True, 0.0),
        _stage("models", True, 0.0, {"count": 2}),
        _stage(
            "chat",
            True,
            612.5,
            {
                "text": "ok",
                "usage": {
                    "input_tokens": 14,
                    "output_tokens": 2,
                    "cached_tokens": 0,
                    "reasoning_tokens": 0,
                    "cost": 1.1e-05,
                },
            },
        ),
        _stage("stream", True, 0.0, {"first_token_ms": 540.2}),
        _stage(
            "tools",
            None,
            702.8,
            {"text": "2 + 3 = 5"},
            message="The model did not call the tool it was offered.",
            hint="It may do so for a clearer task. Agents need a model that calls tools.",
        ),
    ],
    "code": None,
    "message": "",
    "hint": "",
    "ms": 1402.6,
    "model": "qwen3:8b",
    "models": MODELS,
    "features": [],
}
REFUSED: dict[str, Any] = {
    "ok": False,
    "stages": [
        _stage("url", True, 0.1),
        _stage("dns", True, 12.4, {"addresses": ["203.0.113.7"]}),
        _stage("tcp", True, 8.9),
        _stage("tls", True, 21.3),
        _stage("http", True, 38.0),
        _stage(
            "auth",
            False,
            0.0,
            {"http_status": 401, "raw": '{"error": {"message": "Incorrect API key provided: ••••••"}}'},
            code="LLM_AUTH_FAILED",
            message="The model endpoint refused the key: Incorrect API key provided: ••••••",
            hint="Replace the provider's key. A key works only with the service and region it was issued for.",
        ),
        *(_stage(name, None, 0.0) for name in ("models", "chat", "stream", "tools")),
    ],
    "code": "LLM_AUTH_FAILED",
    "message": "The model endpoint refused the key: Incorrect API key provided: ••••••",
    "hint": "Replace the provider's key. A key works only with the service and region it was issued for.",
    "ms": 84.2,
    "model": "",
    "models": [],
    "features": [],
}
OWN: dict[str, Any] = {
    "state": "set",
    "slots": [{"kind": "api_key", "name": "", "required": True, "set": True, "hint": "····1234"}],
    "updated_at": "2026-11-22T05:20:31.402Z",
}
EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "providers_list": {"answers": {"200": {"results": [PROVIDER], "next": None}}},
    "providers_create": {
        "asks": {
            "By preset": {"preset": "modelscope", "api_key": "ms-demo-value-1234"},
            "By address": {
                "name": "Our models",
                "base_url": "https://models.example.org/v1",
                "api_key": "demo-value-1234",
                "headers": {"X-Team": "platform"},
                "models": MODELS,
            },
        },
        "answers": {"201": PROVIDER},
    },
    "providers_get": {"answers": {"200": PROVIDER}},
    "providers_update": {
        "asks": {"A new key": {"api_key": "demo-value-1234"}, "Switched off": {"enabled": False}},
        "answers": {"200": PROVIDER},
    },
    "providers_test": {"asks": {"With a model of choice": {"model": "qwen3:8b"}}, "answers": {"200": TEST}},
    "providers_test_unsaved": {
        "asks": {
            "By address": {"base_url": "https://models.example.org/v1", "api_key": "demo-value-1234"},
            "A saved one with a new key": {"provider": "our-models", "api_key": "demo-value-1234"},
        },
        "answers": {"200": REFUSED},
    },
    "providers_own": {"answers": {"200": OWN}},
    "providers_own_enter": {"asks": {"A key": {"api_key": "demo-value-1234"}}, "answers": {"200": OWN}},
    "providers_models": {"answers": {"200": {"results": MODELS, "next": None}}},
    "provider_presets_list": {
        "answers": {
            "200": {
                "results": [
                    {
                        "id": "ollama",
                        "name": {"en": "Ollama", "zh": "Ollama"},
                        "description": {
                            "en": "Models on this machine. Start it with: ollama serve",
                            "zh": "运行在本机的模型。启动命令：ollama serve",
                        },
                        "base_url": "http://127.0.0.1:11434/v1",
                        "key": "none",
                        "key_page": "",
                        "page": "https://ollama.com/download",
                        "local": True,
                        "found": True,
                        "models": ["qwen3:8b", "llava:7b"],
                        "catalogue": [],
                        "read": "",
                        "currency": "",
                        "prices_page": "",
                    }
                ],
                "next": None,
            }
        }
    },
}
