"""Headers of every answer, and the names under which the service is asked."""

from __future__ import annotations

from urllib.parse import urlsplit

from compiled_plan.service.common.settings import Settings, is_loopback

#: Scripts, styles, images and connections of the service itself alone; in no frame.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ALWAYS: tuple[tuple[str, str], ...] = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)
_TRANSPORT = ("Strict-Transport-Security", "max-age=31536000")
#: What an answer of the API says where the route says nothing else: plans are nobody else's to keep.
NOT_KEPT = ("Cache-Control", "no-store")


def headers_of(settings: Settings) -> list[tuple[bytes, bytes]]:
    """The headers that every answer has."""
    headers = [*ALWAYS, _TRANSPORT] if is_secure(settings) else ALWAYS
    return [(name.lower().encode(), value.encode()) for name, value in headers]


def is_secure(settings: Settings) -> bool:
    """Whether people reach the service by HTTPS alone."""
    return settings.public_address.startswith("https://")


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a `Host` is one that the service is asked under: another one may be a site that points at this machine.

    A service that listens on all addresses and has no public one goes by any name: it asks for tokens.
    """
    name = _name(host)
    if not name:
        return False
    known = {_name(settings.host), _name(urlsplit(settings.public_address).netloc)}
    if is_loopback(name) or name in known:
        return True
    return settings.tokens and not settings.is_local and not settings.public_address


def is_own_origin(origin: str, host: str, settings: Settings) -> bool:
    """Whether an `Origin` is a page of the service, asked under the `Host`."""
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc in (host, urlsplit(settings.public_address).netloc)


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
