"""Errors of this package."""

from __future__ import annotations

from typing import Any, Optional


class HookswitchError(Exception):
    """Base of all errors of this package."""


class ConnectionFailed(HookswitchError):
    """No response: the network failed, or the time limit was exceeded."""


class WebhookVerificationError(HookswitchError):
    """A webhook request that was not signed with the secret, or too long ago."""


class ResponseError(HookswitchError):
    """The server refused the request."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        troubleshoot: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: What to do about it, in a sentence.
        self.troubleshoot = troubleshoot
        #: Quote it when you ask the operator of the server.
        self.request_id = request_id
        #: Seconds until the next try makes sense.
        self.retry_after = retry_after
        self.body = body


class ValidationError(ResponseError):
    """400 and 422: the input is missing, invalid or does not fit the state of the object."""


class PermissionDenied(ResponseError):
    """401 and 403: the credentials are wrong, or may not do this."""


class NotFound(ResponseError):
    """404: the object does not exist in this company."""


class Conflict(ResponseError):
    """409: another request changes the same thing, or used the same idempotency key."""


class RateLimited(ResponseError):
    """429, after all retries."""


class ServerError(ResponseError):
    """5xx, after all retries."""


def error_class(status: int) -> type[ResponseError]:
    classes: dict[int, type[ResponseError]] = {
        400: ValidationError,
        401: PermissionDenied,
        403: PermissionDenied,
        404: NotFound,
        409: Conflict,
        422: ValidationError,
        429: RateLimited,
    }
    return classes.get(status, ServerError if status >= 500 else ResponseError)
