"""What servers listed, kept for as long as they allow (`ttlMs`) and for whom they allow (`cacheScope`).

In memory, by the connection's key: what one team, or one person with credentials of their own, was told is found by no
other. Within that, what a server calls public is everybody's who may use the server; all else is found only by whom it
was listed for. A list whose time is over is still kept a little for that person, so that its further pages are of the
same list.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from backend.tools.servers import PoolKey

if TYPE_CHECKING:
    from backend.tools.mcp.listing import Listing

LONGEST_S = 3600.0
"""Seconds for which a list is good, whatever its server says."""
PAGES_S = 120.0
"""Seconds for which the pages of a list are of that list."""
MOST, LARGEST = 64, 2 * 1024 * 1024
"""Lists that are kept, and characters of each; larger ones are listed anew."""

Kind = Literal["resources", "prompts"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A list, and when it was made (epoch seconds)."""

    listing: Listing
    at: float

    @property
    def fresh(self) -> bool:
        """Whether its server still allows it to be used."""
        return time.time() < self.at + min(self.listing.ttl_ms / 1000, LONGEST_S)


_lists: OrderedDict[tuple[PoolKey, Kind, str], Kept] = OrderedDict()
_lock = threading.Lock()


def known(key: PoolKey, kind: Kind, person: str, *, further: bool) -> Kept | None:
    """A list that may be shown to this person; `further` = for another page of one that they have seen."""
    with _lock:
        own, shared = _lists.get((key, kind, person)), _lists.get((key, kind, ""))
    if further and own is not None and time.time() < own.at + PAGES_S:
        return own
    return next((kept for kept in (own, shared) if kept is not None and kept.fresh), None)


def keep(key: PoolKey, kind: Kind, person: str, listing: Listing) -> Kept:
    """Keep what was listed for a person."""
    kept = Kept(listing, time.time())
    if len(json.dumps(listing.items)) > LARGEST:
        return kept
    with _lock:
        owners = (person, "") if listing.scope == "public" and listing.ttl_ms else (person,)
        if "" not in owners:
            _lists.pop((key, kind, ""), None)  # it was public before
        for owner in owners:
            _lists[key, kind, owner] = kept
            _lists.move_to_end((key, kind, owner))
        while len(_lists) > MOST:
            _lists.popitem(last=False)
    return kept
