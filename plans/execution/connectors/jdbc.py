"""The connector `jdbc`: a database is asked for the rows of a key, with Flink's partial cache.

Source: Flink's page "JDBC".
"""

from __future__ import annotations

import json
from typing import Any

from compiled_plan.plans.connectors.spec import Values
from compiled_plan.plans.connectors.specs.jdbc import SPEC
from compiled_plan.plans.execution.connectors.base import LookupTable, lookup_connector
from compiled_plan.plans.execution.types import ddl

#: Databases whose identifiers are quoted; others take them as they are, as in Flink's dialects.
_QUOTES = {"mysql": "`", "mariadb": "`"}


@lookup_connector(SPEC)
def lookup(table: LookupTable) -> str:
    """What the kernel's LookupTable needs to know of a table."""
    options = SPEC.values(table.options)
    url = options.text("url")
    quote = _QUOTES.get(url.split(":")[1] if ":" in url else "", "")
    names = [f"{quote}{name}{quote}" for name in table.columns.names]
    wanted = " AND ".join(f"{names[at]} = ?" for at in table.keys)
    found = {
        "url": url,
        "driver": options.get("driver"),
        "user": options.get("username"),
        "password": options.get("password"),
        "query": f"SELECT {', '.join(names)} FROM {quote}{options.text('table-name')}{quote} WHERE {wanted}",
        "types": [ddl(type_) for type_ in table.columns.types],
        "retries": options.number("lookup.max-retries"),
        "timeout": options.number("connection.max-retry-timeout") // 1000,
        "cache": _cache(options),
    }
    return json.dumps(found)


def _cache(options: Values) -> dict[str, Any] | None:
    """The limits of the cache; None where nothing is remembered. The older options alone switch it on, too."""
    older = {"lookup.cache.max-rows", "lookup.cache.ttl"} <= options.given.keys()
    if options.text("lookup.cache") != "PARTIAL" and not older:
        return None
    limits = {
        "maxRows": options.get("lookup.partial-cache.max-rows"),
        "expireAfterWrite": options.get("lookup.partial-cache.expire-after-write"),
        "expireAfterAccess": options.get("lookup.partial-cache.expire-after-access"),
    }
    return {name: limit for name, limit in limits.items() if limit is not None} | {
        "missing": options.flag("lookup.partial-cache.cache-missing-key")
    }
