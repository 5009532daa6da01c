"""Verification of webhook requests."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Iterable, Mapping, Union

from .errors import WebhookVerificationError

#: Accepted difference between the clocks, and age of a request that is repeated by somebody else.
TOLERANCE_SECONDS = 300


def verify_webhook(
    body: Union[bytes, str], headers: Mapping[str, str], secret: Union[str, Iterable[str]]
) -> dict[str, Any]:
    """The event of a webhook request that was signed with the secret; raises WebhookVerificationError otherwise.

    ``body`` is the request exactly as received; parsed and serialized again, it has another signature. While you rotate
    the secret, give both.
    """
    raw = body.encode() if isinstance(body, str) else body
    lower = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not lower.get(name):
            raise WebhookVerificationError(f"The header {name} is missing")
    timestamp = lower["webhook-timestamp"]
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The request is too old, or the clock is wrong")
    signed = f"{lower['webhook-id']}.{timestamp}.".encode() + raw
    given = [one[3:] for one in lower["webhook-signature"].split(" ") if one.startswith("v1,")]
    for one in [secret] if isinstance(secret, str) else secret:
        expected = base64.b64encode(hmac.new(_key(one), signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in given):
            event: dict[str, Any] = json.loads(raw)
            return event
    raise WebhookVerificationError("The signature does not fit the body and the secret")


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise WebhookVerificationError("The secret is not base64") from None
