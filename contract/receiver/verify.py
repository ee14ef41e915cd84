"""Both signatures of a delivery, checked with nothing but what Python brings along.

Written from the public Standard Webhooks specification and from what the service's documentation says, not from the
service's code.
"""

import base64
import binascii
import hashlib
import hmac

TOLERANCE_SECONDS = 300


def standard(secret, headers, body, now):
    """Standard Webhooks: why a request is refused, or None. Header names are in small letters."""
    message, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message or "." in message:
        return "no usable webhook-id"
    if not (sent_at.isascii() and sent_at.isdigit()):
        return "no usable webhook-timestamp"
    if abs(now - int(sent_at)) > TOLERANCE_SECONDS:
        return "stale"
    prefix, _, encoded = secret.partition("_")
    if prefix != "whsec":
        return "the secret is none"
    try:
        key = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return "the secret is none"
    expected = hmac.new(key, f"{message}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    for given in headers.get("webhook-signature", "").split(" "):
        version, _, text = given.partition(",")
        try:
            decoded = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            continue
        if version == "v1" and hmac.compare_digest(decoded, expected):
            return None
    return "no signature fits"


def reference(secret, headers, body):
    """X-T49-Webhook-Signature: why a request is refused, or None."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
    given = [headers.get("x-t49-webhook-signature", "")]
    given += headers.get("x-t49-webhook-signature-previous", "").split(" ")
    if any(hmac.compare_digest(one.encode(), expected) for one in given):
        return None
    return "no signature fits"
