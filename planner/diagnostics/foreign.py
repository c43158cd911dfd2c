"""Names and operators of other SQL dialects, and Flink's form of each.

Errors for unknown functions and types, operands that do not fit, and texts that do not parse read these tables. The
forms are valid: tests compile them over a table with the columns s, t (texts), n, m (numbers), x, y (any), ts, ts2
(timestamps), d (date), cond (condition) and items (array).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


class Token(Protocol):
    """A token of the grammar."""

    @property
    def kind(self) -> str:
        """The kind, or the symbol itself."""

    @property
    def text(self) -> str:
        """The text as written."""

    @property
    def start(self) -> int:
        """The offset of the first character."""

    @property
    def end(self) -> int:
        """The offset one past the last character."""


def _all(form: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), form)


#: Functions by name.
FUNCTIONS: dict[str, str] = {
    **_all("COALESCE(x, y)", "NVL ISNULL IF_NULL"),
    **_all("IF(x IS NOT NULL, y, x)", "NVL2"),
    **_all("IF(cond, x, y)", "IIF IFF"),
    **_all("TRY_CAST(s AS INT)", "SAFE_CAST TRY_CONVERT TRY_TO_NUMBER"),
    **_all("CAST(s AS DECIMAL(10, 2))", "TO_NUMBER TO_DECIMAL TO_NUMERIC"),
    **_all("CAST(x AS STRING)", "TO_VARCHAR TO_STRING STR"),
    **_all("CAST(ts AS DATE)", "DATE"),
    **_all("CHAR_LENGTH(s)", "LEN LENGTH STRLEN"),
    **_all("LOWER(s)", "LCASE TO_LOWER"),
    **_all("UPPER(s)", "UCASE TO_UPPER"),
    **_all("REPEAT(s, 3)", "REPLICATE"),
    **_all("POSITION('a' IN s)", "CHARINDEX STRPOS PATINDEX"),
    **_all("s LIKE '%a%'", "CONTAINS STR_CONTAINS"),
    **_all("SPLIT_INDEX(s, ',', 0), which counts from 0", "SPLIT_PART SUBSTRING_INDEX"),
    **_all("SPLIT(s, ',')", "STRING_SPLIT STRING_TO_ARRAY STR_SPLIT"),
    **_all("REGEXP(s, 'a.*')", "REGEXP_LIKE REGEXP_MATCHES REGEXP_CONTAINS RLIKE"),
    **_all("PRINTF('%s', s)", "FORMAT FORMAT_STRING SPRINTF"),
    **_all("SHA256(s)", "HASH CHECKSUM HASHBYTES"),
    **_all("UUID()", "NEWID GEN_RANDOM_UUID GENERATE_UUID"),
    **_all("RAND()", "RANDOM"),
    **_all("TRUNCATE(n, 2) for a number, FLOOR(ts TO DAY) for a time", "TRUNC"),
    **_all("FLOOR(ts TO DAY)", "DATE_TRUNC TIMESTAMP_TRUNC DATETIME_TRUNC TIME_TRUNC"),
    **_all("ts + INTERVAL '1' DAY", "DATE_ADD DATEADD ADDDATE TIMESTAMP_ADD DATETIME_ADD"),
    **_all("ts - INTERVAL '1' DAY", "DATE_SUB SUBDATE TIMESTAMP_SUB DATETIME_SUB"),
    **_all("ts + INTERVAL '1' MONTH", "ADD_MONTHS"),
    **_all("TIMESTAMPDIFF(DAY, ts, ts2)", "DATEDIFF DATE_DIFF TIMESTAMP_DIFF DATETIME_DIFF TIME_DIFF AGE"),
    **_all("TIMESTAMPDIFF(MONTH, ts, ts2)", "MONTHS_BETWEEN"),
    **_all("EXTRACT(HOUR FROM ts)", "DATE_PART DATEPART"),
    **_all("DATE_FORMAT(ts, 'yyyy-MM-dd')", "TO_CHAR FORMAT_DATE FORMAT_TIMESTAMP FORMAT_DATETIME STRFTIME"),
    **_all("TO_DATE(s, 'yyyy-MM-dd')", "STR_TO_DATE PARSE_DATE"),
    **_all("TO_TIMESTAMP(s, 'yyyy-MM-dd HH:mm:ss')", "PARSE_TIMESTAMP PARSE_DATETIME STRPTIME TO_DATETIME"),
    **_all("TO_TIMESTAMP_LTZ(n, 3)", "EPOCH_MS TIMESTAMP_MILLIS FROM_UNIXTIME_MILLIS"),
    **_all("UNIX_TIMESTAMP(CAST(ts AS STRING))", "TO_UNIXTIME UNIX_SECONDS"),
    **_all("CURRENT_TIMESTAMP", "GETDATE SYSDATE SYSDATETIME SYSTIMESTAMP GETUTCDATE CURRENT_DATETIME"),
    **_all("CURRENT_DATE", "CURDATE TODAY"),
    **_all("CURRENT_TIME", "CURTIME"),
    **_all("CARDINALITY(items)", "SIZE ARRAY_LENGTH ARRAY_SIZE ARRAY_CARDINALITY"),
    **_all("SELECT u.item FROM r CROSS JOIN UNNEST(items) AS u (item)", "EXPLODE FLATTEN POSEXPLODE UNNEST"),
    **_all("JSON_VALUE(s, '$.name')", "JSON_EXTRACT JSON_EXTRACT_SCALAR JSON_EXTRACT_PATH_TEXT GET_JSON_OBJECT"),
    **_all("JSON_STRING(x)", "TO_JSON TO_JSON_STRING"),
    **_all("LISTAGG(s, ',')", "STRING_AGG GROUP_CONCAT WM_CONCAT"),
    **_all("ARRAY_AGG(x)", "COLLECT_LIST"),
    **_all("ARRAY_AGG(DISTINCT x)", "COLLECT_SET"),
    **_all("COUNT(*) FILTER (WHERE cond)", "COUNT_IF COUNTIF"),
    **_all("SUM(n) FILTER (WHERE cond)", "SUM_IF SUMIF"),
    **_all("PERCENTILE(n, 0.5)", "MEDIAN"),
    **_all("PERCENTILE(n, 0.9)", "APPROX_PERCENTILE PERCENTILE_CONT PERCENTILE_DISC QUANTILE"),
    **_all("COUNT(DISTINCT x)", "APPROX_DISTINCT UNIQ"),
    **_all("MAX(x)", "ANY_VALUE ARBITRARY"),
    **_all("MIN(cond)", "BOOL_AND LOGICAL_AND EVERY"),
    **_all("MAX(cond)", "BOOL_OR LOGICAL_OR"),
    **_all("FIRST_VALUE(x)", "FIRST"),
    **_all("LAST_VALUE(x)", "LAST LATEST_BY_OFFSET"),
    **_all(
        "SELECT s, x FROM r QUALIFY ROW_NUMBER() OVER (PARTITION BY s ORDER BY n DESC) = 1", "MAX_BY ARG_MAX ARGMAX"
    ),
    **_all("SELECT s, x FROM r QUALIFY ROW_NUMBER() OVER (PARTITION BY s ORDER BY n) = 1", "MIN_BY ARG_MIN ARGMIN"),
    **_all("EXISTS (SELECT 1 FROM r)", "EXIST"),
}

#: Data types by name.
TYPES: dict[str, str] = {
    **_all("STRING", "TEXT TINYTEXT LONGTEXT CLOB VARCHAR2 NVARCHAR NVARCHAR2 NCHAR JSON JSONB UUID ENUM UTF8"),
    **_all("TIMESTAMP(3)", "DATETIME DATETIME2 SMALLDATETIME"),
    **_all("TIMESTAMP_LTZ(3)", "TIMESTAMPTZ TIMESTAMP_TZ DATETIMEOFFSET"),
    **_all("DECIMAL(10, 2)", "NUMBER MONEY BIGNUMERIC"),
    **_all("BIGINT", "LONG INT64 INT8 BIGSERIAL UINT32"),
    **_all("INT", "INT32 INT4 SERIAL MEDIUMINT"),
    **_all("SMALLINT", "INT2 INT16 SHORT"),
    **_all("TINYINT", "BYTE"),
    **_all("DOUBLE", "FLOAT64 FLOAT8"),
    **_all("FLOAT", "FLOAT32 FLOAT4"),
    **_all("BOOLEAN", "BOOL BIT LOGICAL"),
    **_all("BYTES", "BLOB BYTEA LONGBLOB VARBYTE IMAGE"),
    **_all("ARRAY<STRING>", "LIST"),
    **_all("ROW<a INT>", "STRUCT"),
}

#: Operators as runs of symbols.
OPERATORS: dict[str, str] = {
    "==": "n = m",
    "!=": "n <> m",
    "<=>": "x IS NOT DISTINCT FROM y",
    "::": "CAST(x AS STRING)",
    "~": "REGEXP(s, 'a.*')",
    "=~": "REGEXP(s, 'a.*')",
    "~*": "REGEXP(s, '(?i)a.*')",
    "!~": "NOT REGEXP(s, 'a.*')",
    "&&": "cond AND n > m",
    "!": "NOT cond",
    "^": "POWER(n, m)",
    "**": "POWER(n, m)",
    ":": "JSON_VALUE(s, '$.name')",
    "->": "JSON_QUERY(s, '$.name')",
    "->>": "JSON_VALUE(s, '$.name')",
    "<<": "n * POWER(2, m)",
    ">>": "FLOOR(n / POWER(2, m))",
    "(+)": "SELECT r.s FROM r LEFT JOIN v ON r.n = v.n",
}

#: Phrases, by their words in capitals; the remedy is a whole sentence.
PHRASES: dict[tuple[str, ...], str] = {
    ("NOT", "ILIKE"): "write LOWER(s) NOT LIKE 'a%'",
    ("NOT", "RLIKE"): "write NOT REGEXP(s, 'a.*')",
    ("NOT", "REGEXP"): "write NOT REGEXP(s, 'a.*')",
    ("ILIKE",): "write LOWER(s) LIKE 'a%'",
    ("RLIKE",): "write REGEXP(s, 'a.*')",
    ("REGEXP",): "write REGEXP(s, 'a.*')",
    ("GLOB",): "write s LIKE 'a%'",
    ("DIV",): "write n / m, which is a whole number for whole numbers",
    ("XOR",): "write cond <> (n > m)",
    ("NOTNULL",): "write x IS NOT NULL",
    ("ISNULL",): "write x IS NULL",
    ("TOP",): "leave TOP out, and write LIMIT 10 at the end of the query",
    ("DISTINCT", "ON"): "write SELECT s, x FROM r QUALIFY ROW_NUMBER() OVER (PARTITION BY s ORDER BY n) = 1",
    ("MINUS",): "write EXCEPT",
    ("INTO",): "write the INSERT before the query: INSERT INTO k SELECT s, x FROM r",
    ("FOR", "UPDATE"): "leave FOR UPDATE out: a plan reads a stream and locks no rows",
    ("EMIT", "CHANGES"): "leave EMIT CHANGES out: every result is updated as rows arrive",
    ("LATERAL", "VIEW"): "write SELECT s, u.item FROM r CROSS JOIN UNNEST(items) AS u (item)",
    ("WINDOW", "TUMBLING"): "write FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '1' MINUTE)), "
    "and GROUP BY window_start, window_end",
    ("WINDOW", "HOPPING"): "write FROM TABLE(HOP(TABLE r, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)), "
    "and GROUP BY window_start, window_end",
    ("CREATE", "STREAM"): "write CREATE TABLE: every table is a stream",
    ("AUTO_INCREMENT",): "leave AUTO_INCREMENT out: no table gives out keys",
    ("DEFAULT",): "leave DEFAULT out, and write COALESCE(x, y) in the query",
    ("RETURNING",): "leave RETURNING out, and select the rows in a query of their own",
}

#: Names without parentheses.
BARE: dict[str, str] = {
    **_all("CURRENT_TIMESTAMP", "SYSDATE SYSTIMESTAMP SYSDATETIME GETDATE"),
    **_all("CURRENT_DATE", "CURDATE TODAY"),
    **_all("UUID()", "UUID NEWID"),
    **_all("ROW_NUMBER() OVER (ORDER BY proc)", "ROWNUM ROW_NUM"),
}

_QUOTES = "put strings in single quotes ('text'), and names in backticks (`name`)"
#: Keywords that are found in a misspelt word.
_KEYWORDS = (
    "SELECT FROM WHERE GROUP HAVING ORDER LIMIT JOIN LEFT RIGHT INNER CROSS UNION INSERT INTO VALUES CREATE TABLE VIEW "
    "WATERMARK BETWEEN DISTINCT PARTITION EXECUTE STATEMENT EXPLAIN QUALIFY"
).split()


def function_remedy(name: str) -> str:
    """The remedy for a function of another dialect; empty for other names."""
    form = FUNCTIONS.get(name)
    return f"write {form}" if form else ""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Operands that a function or operator takes in other dialects, by the names of their families."""

    name: str
    families: tuple[str, ...]
    form: str


#: The first entry whose families the operands have is the remedy.
MISFITS = (
    Misfit("+", ("CHARACTER", "ANY"), "s || t"),
    Misfit("+", ("ANY", "CHARACTER"), "s || t"),
    Misfit("+", ("DATETIME", "NUMERIC"), "ts + INTERVAL '1' DAY"),
    Misfit("-", ("DATETIME", "NUMERIC"), "ts - INTERVAL '1' DAY"),
    Misfit("-", ("DATETIME", "DATETIME"), "TIMESTAMPDIFF(SECOND, ts2, ts)"),
    Misfit("||", ("CHARACTER", "ANY"), "s || CAST(x AS STRING)"),
    Misfit("||", ("ANY", "CHARACTER"), "CAST(x AS STRING) || s"),
    Misfit("||", ("ANY", "ANY"), "cond OR n > m"),
    Misfit("ITEM", ("CHARACTER", "NUMERIC"), "SUBSTRING(s, 1, 1)"),
    Misfit("ITEM", ("CHARACTER", "CHARACTER"), "JSON_VALUE(s, '$.name')"),
    Misfit("TO_TIMESTAMP", ("NUMERIC",), "TO_TIMESTAMP_LTZ(n, 3)"),
    Misfit("TO_TIMESTAMP", ("NUMERIC", "ANY"), "TO_TIMESTAMP_LTZ(n, 3)"),
    Misfit("TO_DATE", ("DATETIME",), "CAST(ts AS DATE)"),
    Misfit("UNIX_TIMESTAMP", ("DATETIME",), "UNIX_TIMESTAMP(CAST(ts AS STRING))"),
    Misfit("YEAR", ("CHARACTER",), "YEAR(TO_TIMESTAMP(s))"),
    Misfit("DATE_FORMAT", ("NUMERIC", "ANY"), "DATE_FORMAT(TO_TIMESTAMP_LTZ(n, 3), 'yyyy-MM-dd')"),
    Misfit("ROUND", ("CHARACTER",), "ROUND(CAST(s AS DOUBLE))"),
    Misfit("SUM", ("CHARACTER",), "SUM(CAST(s AS DOUBLE))"),
    Misfit("AVG", ("CHARACTER",), "AVG(CAST(s AS DOUBLE))"),
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A construct of another dialect in a text: the offsets of its start and end, and the remedy."""

    start: int
    end: int
    remedy: str


def construct_at(tokens: Sequence[Token], index: int) -> Foreign | None:
    """The construct of another dialect at the token that does not parse, or right before it; None if there is none."""
    token = tokens[index]
    if token.kind == '"':
        return Foreign(token.start, token.end, _QUOTES)
    shows = any(token.text.upper() == "SHOW" for token in tokens[max(0, index - 4) : index])  # its LIKE has no operand
    return None if shows else _operator_at(tokens, index) or _phrase_at(tokens, index)


def _operator_at(tokens: Sequence[Token], index: int) -> Foreign | None:
    """An operator in the run of adjacent symbols around the token; the longest one from the left."""
    first = last = index
    while first and _joins(tokens[first - 1], tokens[first]):
        first -= 1
    while last + 1 < len(tokens) and _joins(tokens[last], tokens[last + 1]):
        last += 1
    for start in range(first, index + 1):
        for end in range(last, index - 1, -1):
            run = tokens[start : end + 1]
            form = OPERATORS.get("".join(token.text for token in run))
            if form is not None and all(token.kind == token.text for token in run):
                return Foreign(run[0].start, run[-1].end, f"write {form}")
    return None


def _joins(left: Token, right: Token) -> bool:
    return left.end == right.start and left.kind == left.text and right.kind == right.text


def _phrase_at(tokens: Sequence[Token], index: int) -> Foreign | None:
    for words, remedy in PHRASES.items():
        # A word before the token may have been read as a name: SELECT TOP 10, FROM t EMIT CHANGES.
        for start in range(max(0, index - len(words)), index + 1):
            run = tokens[start : start + len(words)]
            if tuple(token.text.upper() for token in run if token.kind == "WORD") == words:
                return Foreign(run[0].start, run[-1].end, remedy)
    return None


def misspelt_keyword(words: Iterable[str]) -> str:
    """A remedy with the keyword that one of these names resembles; empty if there is none."""
    from difflib import get_close_matches

    for word in words:
        near = get_close_matches(word.upper(), _KEYWORDS, n=1, cutoff=0.75) if len(word) > 3 else ()
        if near:
            return f"did you mean {near[0]} instead of {word}?"
    return ""


def misfits_of(name: str, count: int) -> Iterator[Misfit]:
    """The entries of a function with this number of operands."""
    return (entry for entry in MISFITS if entry.name == name and len(entry.families) == count)
