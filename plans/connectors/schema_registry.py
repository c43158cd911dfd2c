"""Options and client settings of formats whose schemas are in a schema registry.

Sources: Flink's page "Confluent Avro"; the settings of the registry's own client, to which Flink passes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from compiled_plan.plans.connectors.common import passive
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Use, Values
from compiled_plan.plans.text.options import Kind

#: The subject under which a sink registers schemas; and the connector's default if the table sets none.
SUBJECT, OWN_SUBJECT = "subject", "default-subject"
#: Options that are client settings under another name. They take precedence over `properties.*`.
_SETTINGS = {
    "ssl.keystore.location": "schema.registry.ssl.keystore.location",
    "ssl.keystore.password": "schema.registry.ssl.keystore.password",
    "ssl.truststore.location": "schema.registry.ssl.truststore.location",
    "ssl.truststore.password": "schema.registry.ssl.truststore.password",
    "basic-auth.credentials-source": "basic.auth.credentials.source",
    "basic-auth.user-info": "basic.auth.user.info",
    "bearer-auth.credentials-source": "bearer.auth.credentials.source",
    "bearer-auth.token": "bearer.auth.token",
}
_BASIC, _BEARER = "basic.auth.credentials.source", "bearer.auth.credentials.source"
_SOURCES = {_BASIC: ("USER_INFO", "URL"), _BEARER: ("STATIC_TOKEN",)}
_NEEDED = {"USER_INFO": "basic.auth.user.info", "STATIC_TOKEN": "bearer.auth.token"}
_PROPERTIES = "properties."
#: All settings that the client here supports.
_KNOWN = (
    *_SETTINGS.values(),
    "schema.registry.basic.auth.user.info",
    "schema.registry.ssl.key.password",
    "http.connect.timeout.ms",
    "http.read.timeout.ms",
)


# Address and credentials of the registry do not affect the rows.
_text = partial(passive, Kind.TEXT)

OPTIONS: Mapping[str, TableOption] = {
    "url": _text(
        "The registry's URL; several are separated by commas.", required=True, fallbacks=("schema-registry.url",)
    ),
    SUBJECT: _text(
        "The subject of the schemas that a sink registers; by default `<topic>-value`, or `<topic>-key`.",
        uses=Use.SINK,
        fallbacks=("schema-registry.subject",),
    ),
    "schema": _text(
        "The schema, which must match the columns; by default it is derived from them.",
        fallbacks=("schema-registry.schema",),
    ),
    "ssl.keystore.location": _text("Key store with the client's key and certificate."),
    "ssl.keystore.password": _text("Password of the key store."),
    "ssl.truststore.location": _text("Trust store with the trusted certificates."),
    "ssl.truststore.password": _text("Password of the trust store."),
    "basic-auth.credentials-source": _text("Source of user name and password: `USER_INFO` or `URL`."),
    "basic-auth.user-info": _text("User name and password, separated by a colon, for `USER_INFO`."),
    "bearer-auth.credentials-source": _text("Source of the token: `STATIC_TOKEN`."),
    "bearer-auth.token": _text("The token, for `STATIC_TOKEN`."),
    "schema-registry.url": _text("Deprecated name of `url`."),
    "schema-registry.subject": _text("Deprecated name of `subject`.", uses=Use.SINK),
    "schema-registry.schema": _text("Deprecated name of `schema`."),
}
GROUPS = (
    OptionGroup(
        _PROPERTIES,
        "Settings by the names of Confluent's registry client: "
        + ", ".join(f"`{name}`" for name in sorted(_KNOWN))
        + ".",
        TableOption(Kind.TEXT, passive=True),
    ),
)


def settings(options: Mapping[str, str]) -> dict[str, str]:
    """Client settings by the client's names, and `url`, from a format's checked options without prefix."""
    properties = {key.removeprefix(_PROPERTIES): value for key, value in options.items() if key.startswith(_PROPERTIES)}
    client = properties | {_SETTINGS[key]: value for key, value in options.items() if key in _SETTINGS}
    old = client.pop("schema.registry.basic.auth.user.info", None)
    if old is not None:
        client.setdefault("basic.auth.user.info", old)
    return {"url": Values(OPTIONS, options).text("url"), **client}


def contradiction(options: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Contradictory options, and settings that the client does not support."""
    for key in options:
        if key.startswith(_PROPERTIES) and key.removeprefix(_PROPERTIES) not in _KNOWN:
            name = key.removeprefix(_PROPERTIES)
            return key, f"the setting {name!r} of a schema registry's client is not supported", "leave it out"
    client = settings(options)
    chosen = [name for name in _SOURCES if client.get(name)]
    if len(chosen) == 2:
        named = [key for key, name in _SETTINGS.items() if name in chosen]
        return named[1], f"{named[0]} and {named[1]} cannot both be set", "leave one of them out"
    for name in chosen:
        source = client[name].strip().upper()
        option = next(key for key, setting in _SETTINGS.items() if setting == name)
        if source not in _SOURCES[name]:
            known = ", ".join(_SOURCES[name])
            return option, f"'{client[name]}' as the source of credentials is not supported", f"set one of: {known}"
        needed = _NEEDED.get(source)
        if needed is not None and not client.get(needed):
            lacking = next(key for key, setting in _SETTINGS.items() if setting == needed)
            return option, f"{lacking} is not given, which {option} = '{source}' needs", f"set '{lacking}'"
    return None
