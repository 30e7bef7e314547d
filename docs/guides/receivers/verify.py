"""Whether a delivery is genuine. raw_body holds the bytes as they came, before any parsing."""

import hashlib, hmac, time

def is_genuine(secret: str, headers, raw_body: bytes) -> bool:
    # Frameworks spell them in their own ways.
    values = {name.lower(): value for name, value in headers.items()}
    timestamp = values.get("x-service-timestamp", "")
    signature = values.get("x-service-signature", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256)
    return hmac.compare_digest(signature.encode(), b"v1=" + digest.hexdigest().encode())
