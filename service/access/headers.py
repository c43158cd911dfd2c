"""Response headers, and the host names of the service."""

from __future__ import annotations

from urllib.parse import urlsplit

from compiled_plan.service.common.settings import Settings, is_loopback

#: Only scripts, styles, images and connections of the service itself; no frames.
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
#: The default of API responses: caches must not store plans.
NO_STORE = ("Cache-Control", "no-store")


def headers_of(settings: Settings) -> list[tuple[bytes, bytes]]:
    """The headers of every response."""
    headers = [*ALWAYS, _TRANSPORT] if is_secure(settings) else ALWAYS
    return [(name.lower().encode(), value.encode()) for name, value in headers]


def is_secure(settings: Settings) -> bool:
    """Return True if the public address of the service is HTTPS."""
    return settings.public_address.startswith("https://")


def is_own_host(host: str, settings: Settings) -> bool:
    """Return True if a `Host` header names the service; another name may be a site that points here (DNS rebinding).

    A service that listens on all addresses without a public one accepts any name, since it requires tokens.
    """
    name = _name(host)
    if not name:
        return False
    known = {_name(settings.host), _name(urlsplit(settings.public_address).netloc)}
    if is_loopback(name) or name in known:
        return True
    return settings.tokens and not settings.is_local and not settings.public_address


def is_own_origin(origin: str, host: str, settings: Settings) -> bool:
    """Return True if an `Origin` header is a page of the service under that `Host`."""
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc in (host, urlsplit(settings.public_address).netloc)


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""
