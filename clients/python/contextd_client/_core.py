"""The part of the client that does not depend on the operations: one request, one reply, one error."""

from __future__ import annotations

import base64
import http.client
import json
from typing import Any, AsyncIterator, Dict, Iterator, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

DEFAULT_URL = "http://127.0.0.1:9465"
_ACCEPT = "application/json, application/problem+json, */*"


class ContextdError(Exception):
    """An error that the server sent: a problem of RFC 9457.

    Its type is "urn:contextd:problem:" and a slug of docs/API.md; problem holds all members, among them field, the
    name of the field of the request that is wrong, where there is one.
    """

    def __init__(self, problem: Mapping[str, Any]):
        super().__init__(problem.get("detail") or problem.get("title") or "error")
        self.problem = problem
        self.type = str(problem.get("type", ""))
        self.status = int(problem.get("status", 0))


def part(text: str) -> str:
    """A value as one part of a path."""
    return quote(str(text), safe="")


def problem_of(status: int, title: str, body: bytes, request_id: str) -> ContextdError:
    """The error in a reply; what stands between us and the server may have answered without one."""
    try:
        problem = json.loads(body)
        if isinstance(problem, dict) and isinstance(problem.get("type"), str):
            return ContextdError(problem)
    except ValueError:
        pass
    detail = body[:500].decode("utf-8", "replace")
    return ContextdError({"type": "about:blank", "title": title, "status": status, "detail": detail, "request_id": request_id})


class _Shared:
    """What both kinds of clients know of their server."""

    def __init__(self, base_url: str = DEFAULT_URL, token: Optional[str] = None, timeout: float = 30.0):
        self.base_url = base_url.rstrip("/")
        self.token = token
        self.timeout = timeout
        url = urlsplit(self.base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError('base_url "%s": want http://HOST:PORT or https://HOST' % base_url)
        self._url = url

    def _target(self, path: str, query: Mapping[str, Any]) -> str:
        pairs = [(k, _text(v)) for k, v in query.items() if v is not None]
        return path + ("?" + urlencode(pairs) if pairs else "")

    def _request(self, body: Any, request_id: Optional[str]) -> Tuple[Dict[str, str], Optional[bytes]]:
        headers = {"Accept": _ACCEPT}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if request_id:
            headers["X-Request-Id"] = request_id
        if body is None:
            return headers, None
        headers["Content-Type"] = "application/json"
        return headers, json.dumps(body, ensure_ascii=False).encode("utf-8")

    def _socket(self, path: str, query: Mapping[str, Any]) -> Tuple[str, List[Any]]:
        protocols = ["contextd.v1"]
        if self.token:
            protocols.append("contextd.token." + base64.urlsafe_b64encode(self.token.encode()).decode().rstrip("="))
        return "ws" + self.base_url[len("http"):] + self._target(path, query), protocols


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _result(form: str, status: int, title: str, body: bytes, request_id: str) -> Any:
    if status >= 300:
        raise problem_of(status, title, body, request_id)
    if form == "json":
        return json.loads(body)
    return body.decode("utf-8") if form == "text" else None


class Core(_Shared):
    """Blocking calls over the standard library. Each call has a connection of its own, so threads may share a client."""

    def _call(self, method: str, path: str, query: Mapping[str, Any], body: Any, form: str, timeout: Optional[float], request_id: Optional[str]) -> Any:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        assert self._url.hostname is not None
        connection = kind(self._url.hostname, self._url.port, timeout=self.timeout if timeout is None else timeout)
        try:
            headers, data = self._request(body, request_id)
            connection.request(method, self._url.path + self._target(path, query), body=data, headers=headers)
            reply = connection.getresponse()
            return _result(form, reply.status, reply.reason, reply.read(), reply.getheader("X-Request-Id", "") or "")
        finally:
            connection.close()

    def _listen(self, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
        from websockets.exceptions import ConnectionClosedOK
        from websockets.sync.client import connect

        url, protocols = self._socket(path, query)
        with connect(url, subprotocols=protocols, proxy=None, max_size=None, open_timeout=self.timeout) as socket:
            try:
                while True:
                    yield json.loads(socket.recv())
            except ConnectionClosedOK:
                return


class AsyncCore(_Shared):
    """Calls for asyncio, over httpx (pip install contextd-client[async])."""

    def __init__(self, base_url: str = DEFAULT_URL, token: Optional[str] = None, timeout: float = 30.0):
        super().__init__(base_url, token, timeout)
        import httpx

        # What the environment says of proxies is not for a server on this machine.
        self._http = httpx.AsyncClient(timeout=timeout, trust_env=False)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _call(self, method: str, path: str, query: Mapping[str, Any], body: Any, form: str, timeout: Optional[float], request_id: Optional[str]) -> Any:
        headers, data = self._request(body, request_id)
        reply = await self._http.request(method, self.base_url + self._target(path, query), content=data, headers=headers, timeout=self.timeout if timeout is None else timeout)
        return _result(form, reply.status_code, reply.reason_phrase, reply.content, reply.headers.get("X-Request-Id", ""))

    async def _listen(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[Any]:
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosedOK

        url, protocols = self._socket(path, query)
        async with connect(url, subprotocols=protocols, proxy=None, max_size=None, open_timeout=self.timeout) as socket:
            try:
                while True:
                    yield json.loads(await socket.recv())
            except ConnectionClosedOK:
                return
