"""Names of options, parameters, headers and variables whose values are secret: the one home of that question.

Source: `GlobalConfiguration.isSensitive` of Flink 2.3: a key is sensitive that contains one of its words, in any case.
Added are `user.info`, by which the client of a schema registry calls name and password, names of credentials that
data sources of Spark have (`fs.s3a.access.key`, `pem_private_key`), Kafka's `ssl.keystore.key` (a private key as PEM),
HTTP's headers of credentials, and the abbreviations of URLs and environments (`pwd`, `DB_PASS`).
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
_MORE = ("user.info", "passphrase", "passwd", "credential", "authorization", "cookie")
_KEYS = "(?:access|account|api|encryption|keystore|master|private|service|shared|signing|storage)[._-]?key"
#: The part of a name, in lower case, that makes it sensitive.
SENSITIVE = re.compile(
    rf"{'|'.join(map(re.escape, (*_FLINK, *_MORE)))}|{_KEYS}(?!store)|(?<![a-z])(?:pwd|pass)(?![a-z])"
)


def is_sensitive(key: str) -> bool:
    """Whether the value of an option is not to be shown."""
    return SENSITIVE.search(key.lower()) is not None
