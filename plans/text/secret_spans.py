"""Positions of secrets in unstructured text: log lines, messages, descriptions, URLs, values of options.

A single-pass scanner: it searches for a sensitive name, then for a value after it, in the syntax of option lists, SQL,
JSON, Python, Scala, XML, HTTP and command lines. URLs, PEM blocks and HTTP credentials have separate rules. Every
regular expression here is possessive or bounded, so that the time is linear in the text.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from compiled_plan.plans.text.jdbc_parameters import Parameter, parameters
from compiled_plan.plans.text.secret_keys import SENSITIVE

Span = tuple[int, int]

#: Number of characters inspected before a name.
_NEAR = 40
_NONE = frozenset({"", "null", "none", "[hidden", "[hidden]", "******"})
#: A text without any of these, in any case, has no secret: a search that takes a microsecond per log line.
_SIGNS = (
    *("pass", "pwd", "secret", "key", "token", "auth", "credential", "cookie", "user.info", "jaas.config", "headers"),
    *("jwt", "sas", "psk", "connection", "://", "jdbc:", "-----begin", "bearer", "basic", "sig"),
)
_UPPER = re.compile(r"[A-Z]++")
_RUN = re.compile(r"[\w.\-]*+")
_COMMENT = r"(?:/\*[^*]{0,200}+\*/\s{0,40}+)?"
_AFTER_KEY = re.compile(
    r"(?P<shut>''|\\{0,3}+[\"'`])?+[\])]?(?P<gap>\s{0,40}+)" + _COMMENT
    + r"(?P<sep>=>|->|:=|==|=|:|,)(?P<space>\s{0,40}+)" + _COMMENT
    + r"(?P<open>[bfruBFRU]{0,2}\\{0,3}+(?:\"\"\"|'''|''(?=[^\s,'\")}\];])|\"|'))?+"
)  # fmt: skip
#: An unquoted value ends with its line, or at a closing bracket or comma before a blank, delimiter, quote or line end.
_BARE = re.compile(r"""(?:[^,}\])\n]|[,}\])](?![\s,;.}\])'"]|$))*+""", re.MULTILINE)
_PARAMETER = re.compile(r"""\{[^}\n]{0,200}+\}|(?:[^&;\s,}\])'"<>]|[,}\])](?![\s,;.}\])'"]|$))*+""", re.MULTILINE)
_WORD = re.compile(r"[^\s,;}\])'\"]*+")
_LINE = re.compile(r"[^\n]*+")
_IN_QUOTES = {
    quote: re.compile(rf"(?:[^{quote}\\\n]|\\[^\n]|{quote}{quote})*+(?={quote})") for quote in ("'", '"')
}  # fmt: skip
_FLAG = re.compile(r"[ \t]{1,20}+(?P<quote>[\"'])?")
_ELEMENT = re.compile(r"\"?>|</name>\s{0,40}+<value>")
_IN_ELEMENT = re.compile(r"[^<\n]{0,1000}+(?=</)|")
#: Words that are common before a colon in English.
_PLAIN = frozenset({"token", "tokens", "secret", "secrets", "credential", "credentials", "pass", "basic-auth"})
_FAULT = re.compile(r"(?:exception|error|failure)s?$", re.IGNORECASE)

_OPTION_LIST = "options:{"
_ENTRY = re.compile(r"(?:(?<=\{)|, )([\w.\-]++)=")
_URL = re.compile(r"(?:://|jdbc:oracle:\w{1,10}+:)[^\s\"'<>]*+", re.IGNORECASE)
_SCHEME = re.compile(r"[\w+.\-:]*+")
_ORACLE = re.compile(r"jdbc:oracle:\w{1,10}+:", re.IGNORECASE)
_PORTS = re.compile(r"\d*+(?:,[\w.\-]*+(?::\d*+)?)*+")
_JDBC = re.compile(r"jdbc:\w++:", re.IGNORECASE)
#: The JDBC URLs within one that are read by themselves, which bounds the time for a text of many.
_NESTED = 8
#: A JDBC URL within text: it goes on behind blanks with further parameters.
_JDBC_IN_TEXT = re.compile(
    r"[^\s\"'<>]*+(?:\s{0,20}+;?\s{0,20}+[\w%.+\-]{1,80}+\s{0,20}+=\s{0,20}+(?:\{[^}\n]{0,200}+\}|[^;\s\"'<>]*+))*+"
)
#: A value in braces, in which some drivers take two closing ones for one of its characters.
_BRACED = re.compile(r"\{(?:[^}]|\}\})*+\}?+")
_SIGNATURE = re.compile(r"(?<=[?&])(?:x-amz-)?sig(?:nature)?=([^&\s'\"]++)", re.IGNORECASE)
_PEM = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----")
_PEM_END = re.compile(r"-----END [A-Z ]{0,30}PRIVATE KEY-----")
_AUTH_SCHEME = re.compile(r"(?:(?:basic|bearer|digest|negotiate|token)\s{1,5}+)?+", re.IGNORECASE)
_HTTP = re.compile(r"\b(?P<scheme>bearer|basic)\s{1,5}+(?P<value>[\w\-.~+/=]{6,}+)", re.IGNORECASE)


def may_have_secrets(text: str) -> bool:
    """Return False if a text has no sign of a secret."""
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS)


def secret_spans(text: str, whole: bool = False) -> list[Span]:
    """Positions of secrets in a text, ascending, without overlap. `whole` is as for `url_spans`."""
    if not may_have_secrets(text):
        return []
    return merged((*_named(text), *url_spans(text, whole), *_pem(text), *_http(text), *_option_lists(text)))


def url_spans(text: str, whole: bool = False) -> Iterator[Span]:
    """Positions of passwords, and of tokens in place of a user, in the URLs of a text.

    With `whole`, a URL at the start of the text extends to its end, including blanks and quotes.
    """
    for url in _URL.finditer(text):
        whole = whole and _SCHEME.fullmatch(text, 0, url.start()) is not None
        end = len(text) if whole else url.end()
        oracle = _ORACLE.match(text, url.start())
        if oracle is not None:
            at = text.rfind("@", oracle.end(), end)
            slash = text.find("/", oracle.end(), max(at, oracle.end()))
            if slash >= 0:
                yield slash + 1, at
        begin = text.find("://", url.start(), end)
        while begin >= 0:
            following = text.find("://", begin + 3, end)
            until = end if following < 0 else following
            is_http = text[max(0, begin - 5) : begin].lower().endswith(("http", "https"))
            yield from _user_info(text, begin + 3, until, is_http)
            begin = following
        yield from _parameters(text, url.start(), end)
        if whole:
            break
    yield from _jdbc(text, whole)
    yield from (signature.span(1) for signature in _SIGNATURE.finditer(text))


def _parameters(text: str, start: int, end: int) -> Iterator[Span]:
    """Values of parameters whose names are sensitive once they are decoded; others are found by their names."""
    query = text.find("?", start, end)
    if query < 0 or text.find("%", query, end) < 0:
        return
    for mark in "&;":
        yield from _sensitive(parameters(text, mark, query + 1, end))


def _jdbc(text: str, whole: bool) -> Iterator[Span]:
    """Values of sensitive parameters in JDBC URLs, in the syntaxes of all drivers."""
    end = nested = 0
    for url in _JDBC.finditer(text):
        nested = nested + 1 if url.start() < end else 0
        if nested > _NESTED:
            continue
        at_start = whole and not text[: url.start()].strip()
        end = len(text) if at_start else _match(_JDBC_IN_TEXT, text, url.end())[1]
        query, semicolon = text.find("?", url.end(), end), text.find(";", url.end(), end)
        spans = list(_sensitive(parameters(text, "&", query + 1, end))) if query >= 0 else []
        if semicolon >= 0:
            spans += _sensitive(parameters(text, ";", semicolon + 1, end, braces=True))
        for start, stop in spans:
            braced = _BRACED.match(text, start, end)
            if braced is not None:
                yield start, max(stop, braced.end())
            else:
                yield start, stop if at_start else min(stop, _match(_PARAMETER, text, start)[1])
        if at_start:
            break


def _sensitive(tokens: Iterable[Parameter]) -> Iterator[Span]:
    """The values of sensitive parameters; a name may be encoded twice, as by a proxy."""
    for token in tokens:
        value = token.value.lower()
        if value not in _NONE and (SENSITIVE.search(token.name) or SENSITIVE.search(unquote(token.name))):
            yield token.span


def _user_info(text: str, start: int, end: int, is_http: bool) -> Iterator[Span]:
    """The secret of `user:password@host`, or of `token@host`, between two positions."""
    ends = [place for mark in "/?#;" if (place := text.find(mark, start, end)) >= 0]
    authority = min(ends, default=end)
    at = text.rfind("@", start, authority)
    colon = text.find(":", start, authority if at < 0 else at)
    if at < 0 and colon >= 0 and text[start] != "[" and _PORTS.fullmatch(text, colon + 1, authority) is None:
        # Not a port, but a password with a slash.
        at = text.rfind("@", start, end)
    if at < 0:
        return
    if colon >= 0:
        yield colon + 1, at
    elif is_http:
        yield start, at


def _named(text: str) -> Iterator[Span]:
    done = 0
    for name in SENSITIVE.finditer(_lowered(text)):
        if name.start() < done:
            continue
        start = name.start()
        while start > done and (text[start - 1] in "-." or text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        run = _RUN.match(text, name.end())
        assert run is not None
        done = run.end()
        value = _value(text, start, done)
        if value is not None and text[slice(*value)].strip().lower() not in _NONE:
            yield value
            done = max(done, value[1])


def _option_lists(text: str) -> Iterator[Span]:
    """Secrets in the options of a hint as in Flink's descriptions of scans and sinks: unquoted values."""
    end = 0
    while (begin := text.find(_OPTION_LIST, end)) >= 0:
        begin += len(_OPTION_LIST)
        end = text.find("}]", begin)
        end = len(text) if end < 0 else end
        entries = [*_ENTRY.finditer(text, begin - 1, end)]
        for entry, following in zip(entries, [*(entry_start.start() for entry_start in entries[1:]), end], strict=True):
            value = text[entry.end() : following]
            if SENSITIVE.search(entry[1].lower()):
                yield entry.end(), following
            else:
                yield from ((start + entry.end(), stop + entry.end()) for start, stop in url_spans(value, whole=True))


def _lowered(text: str) -> str:
    """The text in lower case and of equal length: letters whose lower case is longer stay unchanged."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else _UPPER.sub(lambda letter: letter[0].lower(), text)


def _value(text: str, start: int, end: int) -> Span | None:
    """The value after the name between two positions; None if there is none."""
    before = text[start - 1] if start else "\n"
    if before == "<" or before == '"' or text.startswith("</name>", end):
        element = _ELEMENT.match(text, end)
        if element is not None:
            return _match(_IN_ELEMENT, text, element.end())
    is_flag = text.startswith("--", start) and not text.startswith(("--no-", "--with-"), start)
    flag = _FLAG.match(text, end) if is_flag else None
    if flag is not None and not text.startswith("-", flag.end()):
        if flag["quote"]:
            return _quoted(text, flag.end(), flag["quote"])
        return _match(_WORD, text, flag.end())
    after = _AFTER_KEY.match(text, end)
    if after is None or after["sep"] == "==":
        return None
    if after["sep"] == ",":
        opened = _before(text, start - 1) if after["shut"] else ""
        if not after["open"] or (opened not in ("(", "[") and not is_flag):
            return None
    if after["open"]:
        return _quoted(text, after.end(), after["open"].lstrip("bfruBFRU"))
    if "\n" in after["space"] or after["sep"] == ",":
        return None
    place = after.end()
    if after["sep"] != ":":
        if before in "?&;:" and after["sep"] == "=":
            return _match(_PARAMETER, text, place)
        spaced = after["sep"] == "=" and (after["gap"] or after["space"]) and not after["shut"]
        begins_line = not text[max(0, start - _NEAR) : start].rpartition("\n")[2].strip()
        return None if spaced and not begins_line else _match(_BARE, text, place)
    return _after_colon(text, start, end, place, bool(after["shut"]))


def _after_colon(text: str, start: int, end: int, place: int, quoted: bool) -> Span | None:
    name = text[start:end].lower()
    if quoted:
        return _match(_WORD, text, place) if _before(text, start - 1) in ("{", ",") else None
    if "authorization" in name or "cookie" in name:
        return _match(_BARE, text, _match(_AUTH_SCHEME, text, place)[1])
    last = [word.end() for word in SENSITIVE.finditer(name)][-1:]
    if name in _PLAIN or _FAULT.search(name) or last != [len(name)]:
        return None
    return _match(_WORD, text, place)


def _before(text: str, end: int) -> str:
    """The last character before a position that is neither blank nor backslash."""
    return text[max(0, end - _NEAR) : max(0, end)].rstrip(" \t\n\\")[-1:]


def _quoted(text: str, start: int, mark: str) -> Span:
    """A quoted value without its quotes; it ends with its line if they are not closed there."""
    if mark in _IN_QUOTES:
        closed = _IN_QUOTES[mark].match(text, start)
        return _match(_LINE, text, start) if closed is None else closed.span()
    end = text.find(mark, start)
    if mark in ("'''", '"""'):
        return start, end if end >= 0 else len(text)
    return (start, end) if end >= 0 and text.find("\n", start, end) < 0 else _match(_LINE, text, start)


def _pem(text: str) -> Iterator[Span]:
    start = 0
    while (begin := _PEM.search(text, start)) is not None:
        end = _PEM_END.search(text, begin.end())
        yield begin.end(), len(text) if end is None else end.start()
        start = len(text) if end is None else end.end()


def _http(text: str) -> Iterator[Span]:
    """Credentials of HTTP's `Authorization` header without the header's name."""
    for credentials in _HTTP.finditer(text):
        value = credentials["value"]
        if any(map(str.isdigit, value)) if credentials["scheme"].lower() == "bearer" else _is_pair(value):
            yield credentials.span("value")


def _is_pair(value: str) -> bool:
    try:
        return b":" in b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def _match(pattern: re.Pattern[str], text: str, start: int) -> Span:
    matched = pattern.match(text, start)
    assert matched is not None  # all patterns here match an empty text, too
    return matched.span()


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in the order of the text, with overlapping ones merged and empty ones removed."""
    united: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if united and start < united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return united
