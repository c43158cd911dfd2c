"""Wrong queries of the usual kinds: cause, place (between « and »), remedy, and the query corrected by it."""

from __future__ import annotations

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from tests.planner.diagnostics.test_foreign import compiled

NOT_FLINK = "is not Flink SQL here"
NO_FUNCTION = "no function is named"


@pytest.mark.parametrize(
    ("wrong", "cause", "remedy", "right"),
    [
        ("SELECT n FROM r WHERE n «==» 3", NOT_FLINK, "write n = m", "SELECT n FROM r WHERE n = 3"),
        ("SELECT n FROM r WHERE n «!=» 3", NOT_FLINK, "write n <> m", "SELECT n FROM r WHERE n <> 3"),
        ("SELECT n FROM r WHERE s = «\"»text\"", NOT_FLINK, "single quotes", "SELECT n FROM r WHERE s = 'text'"),
        ("SELECT n AS «\"»e\" FROM r", NOT_FLINK, "backticks", "SELECT n AS `e` FROM r"),
        ("SELECT n FROM r WHERE s «ILIKE» 'a%'", NOT_FLINK, "LOWER(s) LIKE",
         "SELECT n FROM r WHERE LOWER(s) LIKE 'a%'"),
        ("SELECT n FROM r WHERE s «NOT ILIKE» 'a%'", NOT_FLINK, "LOWER(s) NOT LIKE",
         "SELECT n FROM r WHERE LOWER(s) NOT LIKE 'a%'"),
        ("SELECT n«::»STRING AS e FROM r", NOT_FLINK, "CAST(x AS STRING)", "SELECT CAST(n AS STRING) AS e FROM r"),
        ("SELECT n FROM r WHERE s «~» 'a.*'", NOT_FLINK, "REGEXP(s, ", "SELECT n FROM r WHERE REGEXP(s, 'a.*')"),
        ("SELECT n FROM r WHERE s «RLIKE» 'a.*'", NOT_FLINK, "REGEXP(s, ", "SELECT n FROM r WHERE REGEXP(s, 'a.*')"),
        ("SELECT «TOP» 10 n FROM r", NOT_FLINK, "LIMIT 10 at the end", "SELECT n FROM r LIMIT 10"),
        ("SELECT n«,» FROM r", "a comma with nothing after it", "remove the comma before 'FROM'", "SELECT n FROM r"),
        ("SELECT n FROM r WHERE n IN (1«,» )", "a comma with nothing after it", "remove the comma before ')'",
         "SELECT n FROM r WHERE n IN (1)"),
        ("SELECT «DATE_TRUNC»('day', ts) AS e FROM r", "is no function call", "FLOOR(ts TO DAY)",
         "SELECT FLOOR(ts TO DAY) AS e FROM r"),
        ("SELECT n, «STRING_AGG»(s, ',') AS e FROM r GROUP BY n", "is no function call", "LISTAGG(s, ',')",
         "SELECT n, LISTAGG(s, ',') AS e FROM r GROUP BY n"),
        ("SELECT n, «GROUP_CONCAT»(s SEPARATOR ',') AS e FROM r GROUP BY n", "is no function call", "LISTAGG(s, ',')",
         "SELECT n, LISTAGG(s, ',') AS e FROM r GROUP BY n"),
        ("SELECT «SAFE_CAST»(s AS INT) AS e FROM r", "is no function call", "TRY_CAST(s AS INT)",
         "SELECT TRY_CAST(s AS INT) AS e FROM r"),
        ("SELECT ts + INTERVAL «'1 hour'» AS e FROM r", "the unit of an INTERVAL", "INTERVAL '1' HOUR",
         "SELECT ts + INTERVAL '1' HOUR AS e FROM r"),
        ("SELECT ts - INTERVAL «'30 days'» AS e FROM r", "the unit of an INTERVAL", "INTERVAL '30' DAY",
         "SELECT ts - INTERVAL '30' DAY AS e FROM r"),
        ("SELECT «NVL(s, 'x')» AS e FROM r", NO_FUNCTION, "COALESCE(x, y)", "SELECT COALESCE(s, 'x') AS e FROM r"),
        ("SELECT «TO_CHAR(ts, 'YYYY')» AS e FROM r", NO_FUNCTION, "DATE_FORMAT(ts, 'yyyy-MM-dd')",
         "SELECT DATE_FORMAT(ts, 'yyyy-MM-dd') AS e FROM r"),
        ("SELECT «DATE_ADD(ts, INTERVAL '1' DAY)» AS e FROM r", NO_FUNCTION, "ts + INTERVAL '1' DAY",
         "SELECT ts + INTERVAL '1' DAY AS e FROM r"),
        ("SELECT DATEADD(«day», 1, ts) AS e FROM r", NO_FUNCTION, "ts + INTERVAL '1' DAY",
         "SELECT ts + INTERVAL '1' DAY AS e FROM r"),
        ("SELECT DATEDIFF(«day», ts, ts2) AS e FROM r", NO_FUNCTION, "TIMESTAMPDIFF(DAY, ts, ts2)",
         "SELECT TIMESTAMPDIFF(DAY, ts, ts2) AS e FROM r"),
        ("SELECT «SPLIT_PART(s, ',', 1)» AS e FROM r", NO_FUNCTION, "SPLIT_INDEX(s, ',', 0), which counts from 0",
         "SELECT SPLIT_INDEX(s, ',', 0) AS e FROM r"),
        ("SELECT «LEN(s)» AS e FROM r", NO_FUNCTION, "CHAR_LENGTH(s)", "SELECT CHAR_LENGTH(s) AS e FROM r"),
        ("SELECT «GETDATE()» AS e FROM r", NO_FUNCTION, "CURRENT_TIMESTAMP", "SELECT CURRENT_TIMESTAMP AS e FROM r"),
        ("SELECT «SYSDATE» AS e FROM r", "column 'SYSDATE' not found", "CURRENT_TIMESTAMP",
         "SELECT CURRENT_TIMESTAMP AS e FROM r"),
        ("SELECT «s + 'x'» AS e FROM r", "cannot apply +", "write s || t", "SELECT s || 'x' AS e FROM r"),
        ("SELECT «ts + 1» AS e FROM r", "cannot apply +", "ts + INTERVAL '1' DAY",
         "SELECT ts + INTERVAL '1' DAY AS e FROM r"),
        ("SELECT «ts - ts2» AS e FROM r", "cannot apply -", "TIMESTAMPDIFF(SECOND, ts2, ts)",
         "SELECT TIMESTAMPDIFF(SECOND, ts2, ts) AS e FROM r"),
        ("SELECT n FROM r WHERE n > 1 «&&» cond", NOT_FLINK, "cond AND n > m", "SELECT n FROM r WHERE n > 1 AND cond"),
        ("SELECT n FROM r WHERE «cond || cond»", "cannot apply ||", "cond OR n > m",
         "SELECT n FROM r WHERE cond OR cond"),
        ("SELECT s«->>»'name' AS e FROM r", NOT_FLINK, "JSON_VALUE(s, '$.name')",
         "SELECT JSON_VALUE(s, '$.name') AS e FROM r"),
        ("SELECT «TO_TIMESTAMP(n)» AS e FROM r", "cannot apply TO_TIMESTAMP", "TO_TIMESTAMP_LTZ(n, 3)",
         "SELECT TO_TIMESTAMP_LTZ(n, 3) AS e FROM r"),
        ("SELECT CAST(n AS «TEXT») AS e FROM r", "no type is named 'TEXT'", "STRING",
         "SELECT CAST(n AS STRING) AS e FROM r"),
        ("SELECT CAST(s AS «DATETIME») AS e FROM r", "no type is named 'DATETIME'", "TIMESTAMP(3)",
         "SELECT CAST(s AS TIMESTAMP(3)) AS e FROM r"),
        ("SELECT EXTRACT(«'hour'» FROM ts) AS e FROM r", "expected a time unit", "without quotes: HOUR",
         "SELECT EXTRACT(HOUR FROM ts) AS e FROM r"),
        ("SELECT n FROM r «EMIT CHANGES»", NOT_FLINK, "leave EMIT CHANGES out", "SELECT n FROM r"),
        ("SELECT n «FORM» r", "unexpected 'r'", "did you mean FROM instead of FORM?", "SELECT n FROM r"),
        ("SELECT r.s FROM r JOIN v USING «n»", "expected '(', found 'n'", "USING (n)",
         "SELECT r.s FROM r JOIN v USING (n)"),
        ("SELECT r.s FROM r, v WHERE r.n = v.n«(+)»", NOT_FLINK, "LEFT JOIN v ON r.n = v.n",
         "SELECT r.s FROM r LEFT JOIN v ON r.n = v.n"),
        ("SELECT «EXIST (SELECT 1 FROM v)» AS e FROM r", NO_FUNCTION, "EXISTS (SELECT 1 FROM r)",
         "SELECT s FROM r WHERE EXISTS (SELECT 1 FROM v)"),
        ("SELECT COUNT(*) AS e FROM TABLE(TUMBLE(TABLE v, «DESCRIPTOR(ts)», INTERVAL '1' MINUTE)) "
         "GROUP BY window_start, window_end", "requires a time attribute", "declare WATERMARK FOR",
         "SELECT COUNT(*) AS e FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
         "GROUP BY window_start, window_end"),
    ],
)  # fmt: skip
def test_a_wrong_query(wrong: str, cause: str, remedy: str, right: str) -> None:
    before, part, _ = wrong.replace("»", "«").split("«")
    with pytest.raises(CompiledPlanError) as raised:
        compiled(wrong.replace("«", "").replace("»", ""))
    assert cause in raised.value.message and remedy in raised.value.remedy
    _, text, caret = raised.value.where.splitlines()
    indented = f"    CREATE TABLE k WITH ('connector' = 'print') AS {before}"
    if cause.startswith("unexpected"):  # the token behind a misspelt keyword is the first that does not parse
        indented += f"{part} "
    assert text.startswith(indented) and caret.index("^") == len(indented)
    assert compiled(right).nodes
