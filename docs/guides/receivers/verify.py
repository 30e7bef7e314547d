"""Whether a delivery is genuine. raw_body holds the bytes as they came, before any parsing."""

import hashlib, hmac, time

def is_genuine(secret: str, headers: dict, raw_body: bytes) -> bool:
    timestamp = headers.get("X-Service-Timestamp", "")
    signature = headers.get("X-Service-Signature", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256)
    return hmac.compare_digest(signature.encode(), b"v1=" + digest.hexdigest().encode())
