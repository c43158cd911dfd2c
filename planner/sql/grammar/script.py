"""Statements and scripts (Flink docs, "SQL": INSERT, statement sets, COMPILE PLAN, EXECUTE PLAN, EXPLAIN, SET)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.grammar.showing import Showing
from compiled_plan.planner.sql.grammar.tokens import END
from compiled_plan.planner.sql.nodes.statements import (
    CompileAndExecutePlan,
    CompilePlan,
    CreateTable,
    ExecutePlan,
    Explain,
    Insert,
    Other,
    Query,
    ResetOption,
    SetOption,
    Statement,
    StatementSet,
    StopJob,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiled_plan.planner.sql.nodes.statements import Name
    from compiled_plan.plans.text.position import Span

_DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE")
_CONFLICTS = ("NOTHING", "ERROR", "DEDUPLICATE")
#: Statements of Flink without a meaning for compiled programs.
_OTHER = frozenset({"ANALYZE", "DELETE", "UPDATE", "TRUNCATE", "CALL", "REFRESH"})
#: Beginnings of CREATE TABLE ... AS in a set.
_CREATING = (("CREATE", "TABLE"), ("CREATE", "OR", "REPLACE", "TABLE"), ("REPLACE", "TABLE"))


class Script(Showing):
    def parse_script(self) -> list[Statement]:
        """Parse all statements of the script; skip empty ones."""
        statements: list[Statement] = []
        while True:
            while self.take_symbol(";"):
                pass
            if self.at_end():
                return statements
            statements.append(self.parse_statement())
            self._end_of_statement()

    def _end_of_statement(self) -> None:
        if self.at_end() or self.at_symbol(";"):
            return
        if self.at_symbol(")"):
            self.fail("SQL parse failed: ')' without '('", remedy="remove it, or add the missing '('")
        remedy = ""
        if self.word() in STARTERS:
            remedy = f"if a statement begins at {self.current.text}, put a semicolon before it"
        self.fail_at(f"unexpected {self.shown()}", remedy=remedy)

    def parse_statement(self) -> Statement:
        """Parse one statement, without its semicolon."""
        start = self.mark()
        word = self.word()
        reader = _READERS.get(word)
        if reader is not None:
            self.advance()
            return reader(self, start)
        if self.at_query():
            query = self.parse_query()
            return Query(query=query, **self.place(start))
        if word in _OTHER:
            return self._other(start)
        self.fail_expected("a statement")

    # --- INSERT and statement sets --------------------------------------------------------------------------------

    def _insert_statement(self, start: int) -> Insert:
        overwrite = self.take("OVERWRITE")
        if not overwrite:
            self.need("INTO")
        target_start = self.mark()
        target = self.table_name()
        target_span = self.span_from(target_start)
        hints = self.parse_hints()
        partition = self.partition() if self.take("PARTITION") else {}
        columns = self._insert_columns()
        query_start = self.mark()
        if not self.at_query():
            self.fail_expected("a query (SELECT, VALUES, WITH or TABLE)")
        query = self.parse_query()
        query_text = self.text_from(query_start)
        on_conflict = self._on_conflict()
        return Insert(
            target=target,
            target_span=target_span,
            hints=hints,
            columns=tuple(name for name, _ in columns),
            column_spans=tuple(span for _, span in columns),
            partition=partition,
            overwrite=overwrite,
            query=query,
            query_text=query_text,
            on_conflict=on_conflict,
            **self.place(start),
        )

    def _insert_columns(self) -> list[tuple[Name, Span]]:
        if not self.at_symbol("(") or self.at_query():
            return []
        return self.wrapped(self._insert_column)

    def _insert_column(self) -> tuple[Name, Span]:
        start = self.mark()
        return all_texts(self.dotted("a column name")), self.span_from(start)

    def _on_conflict(self) -> str | None:
        if not self.take("ON", "CONFLICT"):
            return None
        self.need("DO")
        action = self.take_any(_CONFLICTS)
        if not action:
            self.fail_expected("NOTHING, ERROR or DEDUPLICATE")
        return action

    def _statement_set(self, start: int) -> StatementSet:
        """Parse STATEMENT SET BEGIN ...; END, with the cursor at STATEMENT."""
        self.need("STATEMENT", "SET", "BEGIN")
        return self._set_body(start)

    def _set_body(self, start: int, *, creates: bool = False) -> StatementSet:
        """The statements of a set; `creates`: also CREATE TABLE ... AS, as in the SQL client."""
        inserts = []
        while not self.take("END"):
            inner = self.mark()
            inserts.append(self._write(inner, creates))
            self.need_symbol(";", remedy="end every INSERT of a statement set with a semicolon")
        span = self.span_from(start)
        if not inserts:
            self.fail("SQL parse failed: the statement set is empty", span=span, remedy="add an INSERT INTO to it")
        return StatementSet(span=span, text=self.text_from(start), inserts=tuple(inserts))

    def _write(self, start: int, creates: bool) -> Insert | CreateTable:
        """A statement of a set."""
        if self.take("INSERT"):
            return self._insert_statement(start)
        creating = next((words for words in _CREATING if self.at(*words)), None)
        statement = None
        if creates and creating is not None:
            self.advance()
            statement = self.replace_table(start) if creating == ("REPLACE", "TABLE") else self.create(start)
        if not isinstance(statement, CreateTable) or statement.query is None:
            refused = creating is not None and not creates
            remedy = "write BEGIN STATEMENT SET; ... END" if refused else "end the statement set with END"
            self.fail_expected("INSERT or END in the statement set", remedy=remedy)
        return statement

    def _begin(self, start: int) -> StatementSet:
        self.need("STATEMENT", "SET")
        self.need_symbol(";")
        return self._set_body(start, creates=True)

    def _sinks(self) -> Insert | StatementSet:
        start = self.mark()
        if self.at("EXECUTE", "STATEMENT"):
            # The form in Flink's page "Streaming Concepts"; its parser also accepts the form without EXECUTE.
            self.advance()
        if self.at("STATEMENT"):
            return self._statement_set(start)
        if not self.take("INSERT"):
            self.fail_expected("INSERT INTO or STATEMENT SET BEGIN")
        return self._insert_statement(start)

    # --- plans ----------------------------------------------------------------------------------------------------

    def _compile(self, start: int) -> Statement:
        both = self.take("AND", "EXECUTE")
        self.need("PLAN")
        # Flink's page "Streaming Concepts" has it before the path, its parser after it.
        before = not both and self.take("IF", "NOT", "EXISTS")
        path = self.string("the path of the plan file in single quotes")
        if_not_exists = before or (not both and self.take("IF", "NOT", "EXISTS"))
        self.need("FOR")
        body = self._sinks()
        span, text = self.span_from(start), self.text_from(start)
        if both:
            return CompileAndExecutePlan(span=span, text=text, path=path, body=body)
        return CompilePlan(span=span, text=text, path=path, if_not_exists=if_not_exists, body=body)

    def _execute(self, start: int) -> Statement:
        if self.take("PLAN"):
            if_exists = self.take("IF", "EXISTS")
            path = self.string("the path of the plan file in single quotes")
            return ExecutePlan(path=path, if_exists=if_exists, **self.place(start))
        if self.at("STATEMENT"):
            return self._statement_set(start)
        if self.at("INSERT"):
            self.advance()
            return self._insert_statement(start)
        if not self.at_query():
            self.fail_expected("PLAN, STATEMENT SET, INSERT or a query after EXECUTE")
        query = self.parse_query()
        return Query(query=query, **self.place(start))

    def _explain(self, start: int) -> Statement:
        details: list[str] = []
        if self.at("PLAN", "FOR"):
            self.advance(2)
        elif self.at_any(_DETAILS):
            details = self.listed(self._detail)
            if len(set(details)) < len(details):
                self.fail("SQL parse failed: a detail of EXPLAIN is named twice", token=self.previous)
        inner = self.mark()
        body = self._statement_set(inner) if self.at("STATEMENT") else self.parse_statement()
        return Explain(details=tuple(details), body=body, **self.place(start))

    def _detail(self) -> str:
        detail = self.take_any(_DETAILS)
        if not detail:
            self.fail_expected(" or ".join(_DETAILS))
        return detail

    # --- session --------------------------------------------------------------------------------------------------

    def _set_option(self, start: int) -> Statement:
        key = value = None
        if not self.at_end() and not self.at_symbol(";"):
            key = self._option_key()
            self.need_symbol("=", remedy="write SET 'key' = 'value'")
            value = self.string("a value") if self.at_string() else self._bare_text("a value")
        return SetOption(key=key, value=value, **self.place(start))

    def _option_key(self) -> str:
        return self.string("an option") if self.at_string() else self._bare_text("an option in single quotes")

    def _bare_text(self, expected: str) -> str:
        """Parse unquoted text up to `=`, a semicolon or a gap, as in SET a.b = c."""
        begin = self.mark()
        index = self.index
        if self.at_symbol('"'):
            self.fail_expected(expected, remedy="put options and values in single quotes: SET 'key' = 'value'")
        while self.current.kind not in ("=", ";", END):
            if self.index > index and self.previous.end != self.current.start:
                break
            self.advance()
        if self.index == index:
            self.fail_expected(expected)
        return self.text_from(begin)

    def _reset(self, start: int) -> Statement:
        ended = self.at_end() or self.at_symbol(";")
        key = None if ended else self._option_key()
        return ResetOption(key=key, **self.place(start))

    def _stop(self, start: int) -> StopJob:
        self.need("JOB")
        job = self.string("the id of a job in single quotes")
        savepoint = self.take("WITH", "SAVEPOINT")
        drain = self.take("WITH", "DRAIN")
        return StopJob(job=job, savepoint=savepoint or drain, **self.place(start))

    def _other(self, start: int) -> Statement:
        words = tuple(self.rest())
        return Other(kind=words[0], words=words, **self.place(start))


_READERS: dict[str, Callable[[Script, int], Statement]] = {
    "CREATE": Script.create,
    "REPLACE": Script.replace_table,
    "DROP": Script.drop,
    "INSERT": Script._insert_statement,
    "BEGIN": Script._begin,
    "COMPILE": Script._compile,
    "EXECUTE": Script._execute,
    "EXPLAIN": Script._explain,
    "SET": Script._set_option,
    "RESET": Script._reset,
    "ALTER": Script.alter,
    "USE": Script.use,
    "DESCRIBE": Script.describe,
    "DESC": Script.describe,
    "SHOW": Script.show,
    "LOAD": Script.load,
    "UNLOAD": Script.unload,
    "ADD": Script.add,
    "REMOVE": Script.remove,
    "STOP": Script._stop,
}
STARTERS = frozenset({*_READERS, *_OTHER, "SELECT", "WITH", "VALUES"})
