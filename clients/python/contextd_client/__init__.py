"""Client of a contextd server: context for coding agents, compiled, verified and explained.

    from contextd_client import Contextd

    contextd = Contextd()
    reply = contextd.search({"query": "where are retries scheduled", "root": "/srv/web"})
    for result in reply["results"]:
        print(result["path"], result["grade"])

The core needs nothing but Python (3.9 or later). AsyncContextd needs httpx (contextd-client[async]), events() needs websockets
(contextd-client[events]).
"""

from ._core import DEFAULT_URL, ContextdError
from ._methods import AsyncMethods, Methods
from . import _types as types

__all__ = ["AsyncContextd", "Contextd", "ContextdError", "DEFAULT_URL", "types"]


class Contextd(Methods):
    """A client of one server, with blocking calls; threads may share it."""


class AsyncContextd(AsyncMethods):
    """A client of one server for asyncio: async with AsyncContextd() as contextd."""
