"""Iceberg's REST catalogs: the requests that read names and schemas.

Source: Iceberg's OpenAPI specification of REST catalogs. Of a server's configuration the prefix of paths alone is used:
see decision 22.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.lakes.folders import unreadable
from compiled_plan.plans.text.concealing import conceal

#: Seconds until a server counts as silent.
_TIMEOUT = 30
_REMEDY = "check 'uri', 'warehouse' and the credentials of the catalog, and that its server can be reached"


class _NoRedirects(HTTPRedirectHandler):
    """Follow no redirects: they would send the token to another server."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


_OPENER = build_opener(_NoRedirects)


class RestClient:
    """A client of a REST catalog.

    Methods raise ProgramError if the server refuses, or does not answer.

    Args:
        catalog: the name of the catalog, for errors.
        options: its options.
    """

    def __init__(self, catalog: str, options: Mapping[str, str]) -> None:
        self._catalog, self._options = catalog, options
        self._uri = options["uri"].rstrip("/")

    def namespaces(self) -> Iterator[str]:
        """The namespaces at the top."""
        return (".".join(parts) for parts in self._listed("namespaces", "namespaces"))

    def has_namespace(self, name: str) -> bool:
        """Return True if there is a namespace of that name."""
        return self._got(_path(name)) is not None

    def tables(self, namespace: str) -> Iterator[str]:
        """The names of the tables of a namespace; none if it does not exist."""
        return (str(table["name"]) for table in self._listed(f"{_path(namespace)}/tables", "identifiers"))

    def metadata(self, namespace: str, table: str) -> Mapping[str, Any] | None:
        """The metadata of a table; None if it does not exist."""
        answer = self._got(f"{_path(namespace)}/tables/{quote(table, safe='')}")
        return None if answer is None else answer["metadata"]

    def _listed(self, path: str, key: str) -> Iterator[Any]:
        """The items of all pages of a list."""
        token: str | None = ""
        while token is not None:
            page = self._got(path, {"pageToken": token} if token else {}) or {}
            yield from page.get(key, ())
            token = page.get("next-page-token") or None

    def _got(self, path: str, parameters: Mapping[str, str] | None = None) -> dict[str, Any] | None:
        """The answer to a request below the prefix; None if there is no such object."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self._answered(Request(f"{self._base}/{path}{query}", headers=self._headers), (404,))

    @cached_property
    def _base(self) -> str:
        warehouse = self._options.get("warehouse")
        query = f"?{urlencode({'warehouse': warehouse})}" if warehouse else ""
        config = self._answered(Request(f"{self._uri}/v1/config{query}", headers=self._headers)) or {}
        prefix = {**(config.get("defaults") or {}), **(config.get("overrides") or {})}.get("prefix")
        return f"{self._uri}/v1/{quote(prefix)}" if prefix else f"{self._uri}/v1"

    @cached_property
    def _headers(self) -> dict[str, str]:
        token = self._options.get("token") or self._token()
        return {"Authorization": f"Bearer {token}"} if token else {}

    def _token(self) -> str:
        """The token for the credential; empty without one."""
        credential = self._options.get("credential", "")
        if not credential:
            return ""
        client, colon, secret = credential.partition(":")
        form = {"grant_type": "client_credentials", "scope": self._options.get("scope", "catalog")}
        form |= {"client_id": client, "client_secret": secret} if colon else {"client_secret": client}
        uri = self._options.get("oauth2-server-uri") or f"{self._uri}/v1/oauth/tokens"
        token = str((self._answered(Request(uri, urlencode(form).encode())) or {}).get("access_token", ""))
        conceal(token)
        return token

    def _answered(self, request: Request, absent: tuple[int, ...] = ()) -> dict[str, Any] | None:
        """The JSON object that a server returns; None for a status that says that something is absent."""
        try:
            if request.type not in ("http", "https"):
                raise ValueError(f"{request.type}: is not http: or https:")
            with _OPENER.open(request, timeout=_TIMEOUT) as response:
                answer = json.load(response)
        except HTTPError as fault:
            if fault.code in absent:
                return None
            raise self.fault(f"status {fault.code}{_reason(fault)}") from None
        except (OSError, HTTPException, ValueError) as fault:
            raise self.fault(str(fault)) from None
        if not isinstance(answer, dict):
            raise self.fault(f"{request.full_url} returns no JSON object")
        return answer

    def fault(self, reason: str) -> ProgramError:
        """The error for a server that does not answer as the specification says."""
        return unreadable(self._catalog, self._uri, reason, _REMEDY)


def _reason(fault: HTTPError) -> str:
    """The message of an error, if the server gives one."""
    try:
        return f": {json.load(fault)['error']['message']}"
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return ""


def _path(namespace: str) -> str:
    return f"namespaces/{quote(namespace.replace('.', chr(0x1F)), safe='')}"
