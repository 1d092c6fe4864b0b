"""The cache that all web processes of a scaled installation share, in Redis: guesses at codes, codes that were used.

Values travel as JSON: nothing that stands in Redis is ever run. Without Redis it knows nothing and keeps nothing, so
that people can sign in all the same.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from django.core.serializers.json import DjangoJSONEncoder

T = TypeVar("T")
logger = logging.getLogger(__name__)


class JsonSerializer:
    """What the Redis client writes and reads."""

    def dumps(self, value: Any) -> str:
        """The text that is stored."""
        return json.dumps(value, cls=DjangoJSONEncoder)

    def loads(self, data: bytes) -> Any:
        """The value that was stored."""
        return json.loads(data)


class SharedCache(RedisCache):
    """Django's cache over Redis that does without when Redis is away."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        limits = {"socket_connect_timeout": 1, "socket_timeout": 1}
        options = {"serializer": JsonSerializer(), **limits}
        super().__init__(server, {**params, "KEY_PREFIX": "cache", "OPTIONS": options})

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Whether it was new; so is everything while Redis is away."""
        return _without(True, lambda: super(SharedCache, self).add(key, value, timeout, version))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value, else the default."""
        return _without(default, lambda: super(SharedCache, self).get(key, default, version))

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Keep a value."""
        _without(None, lambda: super(SharedCache, self).set(key, value, timeout, version))

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Whether it was there."""
        return _without(False, lambda: super(SharedCache, self).delete(key, version))

    def clear(self) -> None:
        """Forget all of it, and nothing of what else stands in this Redis."""

        def work() -> None:
            client = self._cache.get_client(write=True)
            for key in client.scan_iter(f"{self.key_prefix}:*"):
                client.delete(key)

        _without(None, work)


def _without(instead: T, call: Callable[[], T]) -> T:
    from redis import RedisError

    try:
        return call()
    except RedisError as error:
        logger.warning("the shared cache does without Redis: %s", error)
        return instead
