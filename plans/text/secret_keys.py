"""Sensitive names of options, parameters, headers and variables; the only place that defines them.

Source: `GlobalConfiguration.isSensitive` of Flink 2.3: a key is sensitive if it contains one of its words, in any case.
Added are `user.info`, a schema registry client's name for user and password, credentials of Spark data sources
(`fs.s3a.access.key`, `pem_private_key`), Kafka's `ssl.keystore.key` (a private key as PEM), HTTP's credential headers,
and abbreviations in URLs, environments and options of data sources (`pwd`, `DB_PASS`, `jwt`, `sas`), and connection
strings of Azure, which hold a key.
"""

from __future__ import annotations

import re

_FLINK = (
    "password",
    "secret",
    "fs.azure.account.key",
    "apikey",
    "api-key",
    "auth-params",
    "service-key",
    "token",
    "basic-auth",
    "jaas.config",
    "http-headers",
)
_MORE = (
    "user.info",
    "passphrase",
    "passwd",
    "credential",
    "authorization",
    "cookie",
    "connectionstring",
    "connection-string",
)
#: Abbreviations in the options of data sources that Spark loads by name; they match whole words.
_WORDS = "(?<![a-z])(?:pwd|pass|jwt|sas|psk)(?![a-z])"
_KEYS = "(?:access|account|api|encryption|keystore|master|private|service|shared|signing|storage)[._-]?key"
#: The part of a lower-case name that makes it sensitive.
SENSITIVE = re.compile(rf"{'|'.join(map(re.escape, (*_FLINK, *_MORE)))}|{_KEYS}(?!store)|{_WORDS}")


def is_sensitive(key: str) -> bool:
    """Return True if the value of an option must not be displayed."""
    return SENSITIVE.search(key.lower()) is not None
