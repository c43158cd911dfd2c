"""The connector `spark`: any data source that Spark loads by its name. Source: Spark's page "Data Sources"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors import jdbc_urls, kafka_settings
from compiled_plan.plans.connectors.columns import unheld_by_spark
from compiled_plan.plans.connectors.common import LATE_ROWS, passive
from compiled_plan.plans.connectors.reached import Reach, Reached
from compiled_plan.plans.connectors.spec import (
    Boundedness,
    ConnectorSpec,
    Faults,
    Guarantee,
    SinkSpec,
    SourceSpec,
    TableUse,
)
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind

#: Data sources that read text, so that their columns have the declared types.
UNTYPED = frozenset({"csv", "json", "xml"})


def _column_faults(row: t.RowType, options: Mapping[str, str]) -> Faults:
    for column in row.fields:
        if unheld_by_spark(column.type):
            message = f"column {column.name!r} of type {column.type} cannot be held in a data source of Spark"
            yield "provider", message, "make it a STRING, a number or a TIMESTAMP (CAST), or leave it out"


def _faults(use: TableUse) -> Iterator[TableFault]:
    name = use.options["provider"]
    if not name.translate(str.maketrans("", "", ".-_$")).isalnum():
        message = f"the provider {name!r} of table {use.table} is no name of a data source"
        yield TableFault(message, "write its short name, such as 'parquet' or 'delta'", "provider")
    if use.reading:
        return
    if use.primary_key:
        message = f"table {use.table} has a primary key, and connector 'spark' appends rows and merges none"
        remedy = "leave PRIMARY KEY out, or write to 'jdbc' or 'upsert-kafka'"
        yield TableFault(message, remedy, "connector", supported=False)
    if SPEC.values(use.options).text("sink.delivery-guarantee") == "exactly-once":
        message = f"table {use.table}: a data source keeps no record of the micro-batches that it has"
        remedy = "set 'at-least-once', or write files with the connector 'filesystem', which is exactly-once"
        yield TableFault(message, remedy, "sink.delivery-guarantee", supported=False)


#: Options of Spark's data source `jdbc`; it passes all others to the driver as parameters.
_OF_JDBC = frozenset(
    (
        "connector provider scan.mode sink.delivery-guarantee url driver dbtable query preparequery "
        "sessioninitstatement partitioncolumn lowerbound upperbound numpartitions querytimeout fetchsize "
        "batchsize isolationlevel truncate cascadetruncate createtableoptions createtablecolumntypes "
        "customschema pushdownpredicate pushdownaggregate pushdownlimit pushdownoffset pushdowntablesample "
        "prefertimestampntz hint"
    ).split()
)
_CLASS = re.compile(r"(?:[a-z_]\w*+\.){2,}+[A-Z][\w$]*+")


def reached(options: Mapping[str, str]) -> Iterator[Reached]:
    """Files and code that options of a data source reach: as the connectors of databases and Kafka do, and classes."""
    lowered = {key.lower(): value for key, value in options.items()}
    provider = options.get("provider", "")
    if "." in provider or "$" in provider:
        message = f"provider {provider!r} is a class"
        yield Reached(Reach.CODE, "provider", provider, message, "name the data source by its short name", provider)
    if lowered.get("provider", "").lower() == "jdbc" or lowered.get("url", "").lower().startswith("jdbc:"):
        yield from jdbc_urls.reached(lowered, settings=sorted(lowered.keys() - _OF_JDBC))
    yield from kafka_settings.reached(lowered, "kafka.")
    for option, value in lowered.items():
        if option not in ("provider", "driver") and not option.startswith("kafka.") and _CLASS.fullmatch(value):
            yield Reached(Reach.UNKNOWN, option, value, f"the option {option!r} names a class", "leave it out", value)


SPEC = ConnectorSpec(
    "spark",
    "Any data source that Spark loads by name, including Python data sources.",
    {
        "provider": TableOption(Kind.TEXT, doc="The data source's short name.", required=True),
        "scan.mode": TableOption(
            Kind.CHOICE,
            "auto",
            ("auto", "streaming", "batch"),
            doc="`streaming`: an unbounded read of arriving rows; `batch`: one read of the existing rows, and the "
            "table ends; `auto`: streaming if the data source supports it, otherwise batch.",
            uses=Use.SOURCE,
        ),
        "sink.delivery-guarantee": passive(
            Kind.CHOICE,
            "Delivery guarantee: a rewritten micro-batch leaves duplicate rows. `exactly-once` is refused.",
            Use.SINK,
            "at-least-once",
            ("exactly-once", "at-least-once"),
        ),
        **LATE_ROWS,
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION),
    sink=SinkSpec(guarantee=Guarantee.AT_LEAST_ONCE),
    groups=(OptionGroup("", "Any other option is passed to the data source unchanged: `path`, ..."),),
    column_faults=_column_faults,
    faults=_faults,
    reached=reached,
    at_start="the source of Spark's and its columns",
)
