"""Clients for one company on one server, synchronous and for asyncio."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Optional

from ._operations import OPERATIONS, Operation
from .errors import ConnectionFailed, ResponseError, error_class

RETRIED_STATUSES = {429, 500, 502, 503, 504}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Credentials must not follow a redirect to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Base:
    """What both clients share: operations by name, and how a request is made."""

    def __init__(
        self,
        url: str,
        api_id: Optional[str] = None,
        api_token: Optional[str] = None,
        *,
        access_token: Optional[str] = None,
        timeout: float = 30.0,
        max_retries: int = 4,
    ) -> None:
        if access_token is None and (api_id is None or api_token is None):
            raise TypeError("Use api_id and api_token, or access_token")
        self._url = url.rstrip("/")
        self._timeout = timeout
        self._max_retries = max_retries
        pair = base64.b64encode(f"{api_id}:{api_token}".encode()).decode()
        self._authorization = f"Basic {pair}" if access_token is None else f"Bearer {access_token}"
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __dir__(self) -> list[str]:
        names = list(super().__dir__()) + list(OPERATIONS)
        return names + [f"iterate_{name[5:]}" for name, of in OPERATIONS.items() if of.list_field and name[:5] == "list_"]

    def _request(
        self, operation: Operation, arguments: Mapping[str, Any], idempotency_key: Optional[str], timeout: Optional[float]
    ) -> urllib.request.Request:
        target, body = _target_and_body(operation, arguments)
        headers = {"Accept": "application/json", "Authorization": self._authorization, "User-Agent": "hookswitch-python"}
        if operation.method != "GET":
            # The same key in every attempt: the server makes the change once.
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        return urllib.request.Request(self._url + target, data=data, headers=headers, method=operation.method)

    def _attempt(self, request: urllib.request.Request, timeout: Optional[float]) -> Any:
        try:
            with self._opener.open(request, timeout=timeout or self._timeout) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, OSError) as error:
            host = urllib.parse.urlsplit(self._url).netloc
            raise ConnectionFailed(f"No response from {host}: {error}") from error

    def _delay(self, error: Exception, attempt: int) -> Optional[float]:
        """Seconds until the next attempt; None when there is none."""
        if attempt >= self._max_retries:
            return None
        if isinstance(error, ResponseError):
            pending = error.status == 409 and "dempotency" in json.dumps(error.body)
            if error.status not in RETRIED_STATUSES and not pending:
                return None
            if error.retry_after is not None:
                return min(error.retry_after, 60.0)
        return min(8.0, 0.5 * 2**attempt) * (0.5 + random.random() / 2)


class Client(_Base):
    """A method per operation: ``client.get_call(id=7)``, ``client.create_contact(first_name="Ada", …)``.

    Path and query parameters and the fields of the body are keyword arguments. A field of the body that has the name of a
    path parameter, or is no identifier, goes into ``body={…}``. Lists have an iterator over all pages as well:
    ``for call in client.iterate_calls(order="desc")``.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation, is_iterator = _find(name)

        def method(**arguments: Any) -> Any:
            if is_iterator:
                return self._pages(operation, arguments)
            return self._run(operation, arguments)

        method.__name__ = name
        method.__doc__ = operation.description
        return method

    def _run(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        key, timeout = arguments.pop("idempotency_key", None), arguments.pop("timeout", None)
        request = self._request(operation, arguments, key, timeout)
        attempt = 0
        while True:
            try:
                return self._attempt(request, timeout)
            except (ResponseError, ConnectionFailed) as error:
                delay = self._delay(error, attempt)
                if delay is None:
                    raise
                time.sleep(delay)
                attempt += 1

    def _pages(self, operation: Operation, arguments: dict[str, Any]) -> Iterator[Any]:
        page = 1
        while True:
            body = self._run(operation, {"per_page": 50, **arguments, "page": page})
            yield from body[operation.list_field]
            if not body["meta"].get("next_page_link"):
                return
            page += 1


class AsyncClient(_Base):
    """The same for asyncio: ``await client.get_call(id=7)``, ``async for call in client.iterate_calls()``."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation, is_iterator = _find(name)

        def method(**arguments: Any) -> Any:
            if is_iterator:
                return self._pages(operation, arguments)
            return self._run(operation, arguments)

        method.__name__ = name
        method.__doc__ = operation.description
        return method

    async def _run(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        key, timeout = arguments.pop("idempotency_key", None), arguments.pop("timeout", None)
        request = self._request(operation, arguments, key, timeout)
        attempt = 0
        while True:
            try:
                return await asyncio.to_thread(self._attempt, request, timeout)
            except (ResponseError, ConnectionFailed) as error:
                delay = self._delay(error, attempt)
                if delay is None:
                    raise
                await asyncio.sleep(delay)
                attempt += 1

    async def _pages(self, operation: Operation, arguments: dict[str, Any]) -> AsyncIterator[Any]:
        page = 1
        while True:
            body = await self._run(operation, {"per_page": 50, **arguments, "page": page})
            for item in body[operation.list_field]:
                yield item
            if not body["meta"].get("next_page_link"):
                return
            page += 1


def _find(name: str) -> tuple[Operation, bool]:
    """The operation of a method, and whether the method iterates over its pages."""
    if name in OPERATIONS:
        return OPERATIONS[name], False
    listed = OPERATIONS.get(f"list_{name[8:]}") or OPERATIONS.get(name[8:]) if name.startswith("iterate_") else None
    if listed is not None and listed.list_field is not None:
        return listed, True
    raise AttributeError(f"The API has no operation {name}")


def _target_and_body(operation: Operation, arguments: Mapping[str, Any]) -> tuple[str, Any]:
    rest = dict(arguments)
    target = operation.path
    for name in operation.path_parameters:
        value = rest.pop(name, None)
        if value is None or value == "":
            raise TypeError(f"{name} is missing")
        target = target.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
    query: list[tuple[str, str]] = []
    for name in operation.query_parameters:
        value = rest.pop(name, None)
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            query.extend((f"{name}[]", str(one)) for one in value)
        else:
            query.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    if query:
        target += "?" + urllib.parse.urlencode(query)
    if not operation.has_body:
        if rest:
            raise TypeError(f"Unknown parameters: {', '.join(sorted(rest))}")
        return target, None
    body = rest.pop("body", None)
    return target, {**rest, **body} if isinstance(body, Mapping) else (body if body is not None else rest)


def _refusal(error: urllib.error.HTTPError) -> ResponseError:
    text = error.read().decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    fields = body if isinstance(body, dict) else {}
    reasons = [fields.get("error"), fields.get("troubleshoot")]
    reason = ". ".join(one for one in reasons if isinstance(one, str) and one)
    retry_after = error.headers.get("Retry-After", "")
    troubleshoot = fields.get("troubleshoot")
    return error_class(error.code)(
        error.code,
        f"{error.code}: {reason or error.reason or 'refused'}",
        troubleshoot=troubleshoot if isinstance(troubleshoot, str) else None,
        request_id=error.headers.get("X-Request-Id"),
        retry_after=float(retry_after) if retry_after.isdigit() else None,
        body=body,
    )
