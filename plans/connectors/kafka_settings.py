"""Settings of Kafka clients that load code or use files. Source: Kafka's configuration pages.

A client instantiates every class that a setting names, runs the `kinit` command, and logs in with the modules of its
JAAS configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from compiled_plan.plans.connectors.reached import Reach, Reached

_CODE = re.compile(
    r"(?:.*\.)?(?:class|classes|reporters|providers?|(?:de)?serializer|callback|strategy)(?:\..*)?|sasl\.kerberos\.kinit\.cmd"
    r"|config\.providers.*|.*\.class(?:\..*)?"
)
_OWN_CLASSES = (
    "org.apache.kafka.clients.consumer.RangeAssignor",
    "org.apache.kafka.clients.consumer.RoundRobinAssignor",
    "org.apache.kafka.clients.consumer.StickyAssignor",
    "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
    "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
    "software.amazon.msk.auth.iam.IAMClientCallbackHandler",
)
#: Settings that hold names: of Java's cryptography providers, of a group protocol.
_NOT_CODE = frozenset({"ssl.provider", "group.protocol"})
_HARMLESS = re.compile(
    r"bootstrap\.servers|acks|retries|check\.crcs|exclude\.internal\.topics|isolation\.level|compression\.[\w.]+"
    r"|security\.protocol|sasl\.mechanism|sasl\.jaas\.config|sasl\.kerberos\.(?:service\.name|ticket\.[\w.]+|min\.[\w.]+)"
    r"|sasl\.login\.(?:refresh|retry|connect|read)\.[\w.]+|sasl\.oauthbearer\.[\w.]+"
    r"|ssl\.(?:protocol|provider|enabled\.protocols|cipher\.suites|endpoint\.identification\.algorithm|key\.password"
    r"|keymanager\.algorithm|trustmanager\.algorithm|secure\.random\.implementation)"
    r"|ssl\.(?:key|trust)store\.(?:type|key|certificate\.chain|certificates|password|location)"
    r"|(?:group|client|auto|batch|linger|buffer|max|min|fetch|receive|send|request|retry|reconnect|metadata|connections"
    r"|session|heartbeat|enable|delivery|transaction|allow|default|socket|partition|metrics|api|ack)\.[\w.]+"
)
_MODULES = frozenset(
    {
        "org.apache.kafka.common.security.plain.PlainLoginModule",
        "org.apache.kafka.common.security.scram.ScramLoginModule",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
        "com.sun.security.auth.module.Krb5LoginModule",
        "software.amazon.msk.auth.iam.IAMLoginModule",
    }
)
_VALUE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|[\w.\-$]++)"
#: A login module with its options. Comments, which Kafka accepts, do not match: they could hide a module.
_ENTRY = re.compile(
    rf"\s*+(?P<module>[\w.$\-]++)\s++(?:required|requisite|sufficient|optional)\b"
    rf"(?P<options>(?:\s++[\w.\-]++\s*+=\s*+{_VALUE})*+)\s*+;\s*+",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"(?<![\w.\-])([\w.\-]++)\s*+=\s*+({_VALUE})")
_FILES = frozenset({"keytab", "ticketcache"})


def reached(options: Mapping[str, str], prefix: str = "properties.") -> Iterator[Reached]:
    """Files and code that settings of Kafka clients reach, and settings not known to be harmless."""
    for option, value in options.items():
        if option.startswith(prefix):
            yield from _of_setting(option, option.removeprefix(prefix).strip().lower(), value)


def _of_setting(option: str, name: str, value: str) -> Iterator[Reached]:
    if name.endswith("sasl.jaas.config"):
        yield from _of_jaas(option, value)
    elif _CODE.fullmatch(name) and name not in _NOT_CODE:
        for class_ in map(str.strip, value.split(",")):
            if class_ not in _OWN_CLASSES:
                message = "the setting of Kafka's clients loads a class, or runs a command"
                yield Reached(Reach.CODE, option, class_, message, "leave it out", class_)
        return
    elif name.endswith(".location") or value.strip().lower().startswith("file:"):
        yield Reached(Reach.FILE, option, value)
    if not _HARMLESS.fullmatch(name):
        message = "the setting of Kafka's clients is not known as harmless"
        yield Reached(Reach.UNKNOWN, option, value, message, "leave it out", name)


def _of_jaas(option: str, value: str) -> Iterator[Reached]:
    place = 0
    while place == 0 or place < len(value):
        entry = _ENTRY.match(value, place)
        if entry is None:
            message = "the login configuration has a form that is not known"
            yield Reached(Reach.CODE, option, value, message, "write '<module> required <name>=\"<value>\" ...;'")
            return
        place, module = entry.end(), entry["module"]
        if module not in _MODULES:
            message = f"the login module {module} is none of Kafka's"
            yield Reached(Reach.CODE, option, value, message, f"use one of: {', '.join(sorted(_MODULES))}", module)
        for name, text in _OPTION.findall(entry["options"]):
            plain = text[1:-1] if text[0] in "\"'" else text
            if name.lower() not in _FILES:
                yield from _of_login(option, name.lower(), plain)
            elif "\\" in plain:
                yield Reached(
                    Reach.CODE, option, value, f"the path of {name} has a backslash", "write it without", name
                )
            else:
                yield Reached(Reach.FILE, option, plain)


def _of_login(option: str, name: str, value: str) -> Iterator[Reached]:
    """Check an option of a login module; some are settings of the client that requests tokens."""
    if name != "sasl.jaas.config":
        yield from (reach for reach in _of_setting(option, name, value) if reach.kind is not Reach.UNKNOWN)
