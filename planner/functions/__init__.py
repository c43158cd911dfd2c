"""Built-in functions, operators and casts: types inferred, row expressions built as Flink's plans write them.

Entry points (pure Python; all raise `plans.errors.ProgramError`, to which the caller adds `where`):

- `registry.resolve_call(name, operands) -> RexNode`: any function or operator by its SQL name or symbol. Operators by
symbol or keyword: `=`, `<>`, `!=`, `<`, `<=`, `>`, `>=`, `+`, `-` (one or two operands), `*`, `/`, `%`, `||`,
  `AND`, `OR`, `NOT` (AND and OR take 2 or more), `IS NULL`, `IS NOT NULL`, `IS TRUE`, `IS NOT TRUE`, `IS FALSE`,
  `IS NOT FALSE`, `IS UNKNOWN`, `IS NOT UNKNOWN`, `IS DISTINCT FROM`, `IS NOT DISTINCT FROM`, `LIKE`, `NOT LIKE`,
  `SIMILAR TO`, `NOT SIMILAR TO` (optional third operand: the escape), `BETWEEN`, `NOT BETWEEN` (x, low, high; also
  `BETWEEN SYMMETRIC`), `IN`, `NOT IN` (x, items...; rows as `ROW` calls), `CASE` (when, then, when, then, ..., else;
  the binder writes the simple form as `x = when` and a missing else as NULL), `ITEM` (`a[i]`), `ROW`, `ARRAY`,
  `MAP` (constructors), `OVERLAPS`, `DOT` is FieldAccess and not a call.
- Keyword arguments of the SQL syntax are symbol literals, made by `plan_literals.symbol(enum, value)`:
  `EXTRACT(unit FROM x)` = [symbol(unit), x]; `FLOOR/CEIL(x TO unit)` = [x, symbol(unit)]; `TIMESTAMPADD(unit, n, x)`
  and `TIMESTAMPDIFF(unit, a, b)` = [symbol(unit), ...]; `TRIM(flag chars FROM s)` = [symbol(flag), chars, s] (the
  plain `TRIM(s)` = [s]); `POSITION(a IN b)` = [a, b]; `SUBSTRING(s FROM a FOR n)` = [s, a, n]; `OVERLAY(s PLACING r
  FROM a FOR n)` = [s, r, a, n]. Use `plan_literals.time_unit("DAY")`, `plan_literals.trim_flag("BOTH")`.
  JSON functions: see `json.py` (`json_value`, `json_query`, `json_exists`, `json_object`, `json_array`).
- `casts.cast(rex, type, try_=False)` for CAST and TRY_CAST.
- `aggregates.resolve_aggregate(...)` for aggregates and window functions.
"""
