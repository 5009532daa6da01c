"""Client for the API of Hookswitch."""

from .client import AsyncClient, Client
from .errors import (
    Conflict,
    ConnectionFailed,
    HookswitchError,
    NotFound,
    PermissionDenied,
    RateLimited,
    ResponseError,
    ServerError,
    ValidationError,
    WebhookVerificationError,
)
from .webhooks import verify_webhook

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "HookswitchError",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "ResponseError",
    "ServerError",
    "ValidationError",
    "WebhookVerificationError",
    "verify_webhook",
]
