"""Events of OpenLineage: the tables of a run, and the origins of their columns; needs its client library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset as lineage,
)
from openlineage.client.facet_v2 import (
    datasource_dataset,
    error_message_run,
    job_type_job,
    processing_engine_run,
    schema_dataset,
)
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage.client.transport.http import ApiKeyTokenProvider, HttpConfig, HttpTransport

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.files.faults import writing
from compiled_plan.plans.inspection.lineage.meaning import type_text
from compiled_plan.plans.inspection.lineage.origins import Origin, SinkOrigins, origins_of, tables_read
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.datasets import NAMESPACE, Dataset, dataset_of
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.version import product_version

PRODUCER = "https://pypi.org/project/compiled-plan"


@dataclass(frozen=True, slots=True)
class LineageJob:
    """The facts of a run that are in all its events."""

    namespace: str
    name: str
    run: str  # id of the run, a UUID
    bounded: bool  # True if it ends by itself
    inputs: tuple[InputDataset, ...]
    outputs: tuple[OutputDataset, ...]  # the sink tables, with the origins of their columns


def job_of(plan: CompiledPlan, name: str, *, bounded: bool, namespace: str = "") -> LineageJob:
    """The job of a plan's run; its namespace is `OPENLINEAGE_NAMESPACE`, or by default the product's."""
    namespace = namespace or os.environ.get("OPENLINEAGE_NAMESPACE", "") or NAMESPACE
    tables = tables_read(plan)
    names = {identifier: dataset_of(table) for identifier, table in tables.items()}
    inputs = tuple(_input(names[identifier], table) for identifier, table in tables.items())
    outputs = tuple(_output(sink, names) for sink in _by_table(origins_of(plan)))
    return LineageJob(namespace, name, str(uuid4()), bounded, inputs, outputs)


def _by_table(sinks: Iterable[SinkOrigins]) -> Iterable[SinkOrigins]:
    """Merge the sinks of each table: several statements may write one."""
    by_table: dict[str, SinkOrigins] = {}
    for sink in sinks:
        earlier = by_table.get(sink.table.identifier)
        if earlier is not None:
            names = dict.fromkeys((*earlier.columns, *sink.columns))
            columns = {
                name: tuple(dict.fromkeys((*earlier.columns.get(name, ()), *sink.columns.get(name, ()))))
                for name in names
            }
            sink = SinkOrigins(sink.table, columns, tuple(dict.fromkeys((*earlier.rows, *sink.rows))))
        by_table[sink.table.identifier] = sink
    return by_table.values()


def _schema(table: CatalogTable) -> Any:
    fields = [
        schema_dataset.SchemaDatasetFacetFields(name=column.name, type=type_text(column.data_type))
        for column in table.stored_columns
    ]
    return schema_dataset.SchemaDatasetFacet(fields=fields)


def _source(dataset: Dataset) -> Any:
    return datasource_dataset.DatasourceDatasetFacet(name=dataset.namespace, uri=dataset.namespace)


def _input(dataset: Dataset, table: CatalogTable) -> InputDataset:
    return InputDataset(*dataset, facets={"schema": _schema(table), "dataSource": _source(dataset)})


def _output(sink: SinkOrigins, names: Mapping[str, Dataset]) -> OutputDataset:
    dataset = dataset_of(sink.table)
    fields = {
        name: lineage.Fields(inputFields=_fields(origins, names)) for name, origins in sink.columns.items() if origins
    }
    facet = lineage.ColumnLineageDatasetFacet(fields=fields, dataset=_fields(sink.rows, names))
    facets = {"schema": _schema(sink.table), "dataSource": _source(dataset), "columnLineage": facet}
    return OutputDataset(*dataset, facets=facets)


def _fields(origins: Iterable[Origin], names: Mapping[str, Dataset]) -> list[Any]:
    """The input fields, once each, with all their transformations."""
    transformations: dict[tuple[str, str], list[Any]] = {}
    for origin in origins:
        transformation = lineage.Transformation(
            type="DIRECT" if origin.how.direct else "INDIRECT", subtype=origin.how.name, description=origin.how.value
        )
        transformations.setdefault((origin.table, origin.column), []).append(transformation)
    return [
        lineage.InputField(*names[table], field=column, transformations=steps)
        for (table, column), steps in transformations.items()
    ]


def event_of(job: LineageJob, state: str, at: str, fault: str = "") -> RunEvent:
    """An event of a run: START, RUNNING, COMPLETE, ABORT or FAIL, `at` an ISO 8601 time with a zone."""
    product = product_version()
    engine = processing_engine_run.ProcessingEngineRunFacet(
        version=version("pyspark"), name="spark", openlineageAdapterVersion=product
    )
    facets: dict[str, Any] = {"processing_engine": engine}
    if fault:
        facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(
            message=masked_text(fault), programmingLanguage="SQL"
        )
    kind = job_type_job.JobTypeJobFacet(
        processingType="BATCH" if job.bounded else "STREAMING", integration="COMPILED_PLAN", jobType="QUERY"
    )
    return RunEvent(
        eventTime=at,
        producer=f"{PRODUCER}/{product}",
        run=Run(job.run, facets=facets),
        job=Job(job.namespace, job.name, facets={"jobType": kind}),
        eventType=RunState[state],
        inputs=list(job.inputs),
        outputs=list(job.outputs),
    )


def client_of(target: str) -> OpenLineageClient:
    """The client for a URL or a file, see `Lineage`."""
    if not target.startswith(("http://", "https://")):
        path = Path(target)
        with writing(path, "lineage file", ExecutionError):
            path.open("a").close()
        return OpenLineageClient(transport=FileTransport(FileConfig(str(path), append=True)))
    key = os.environ.get("OPENLINEAGE_API_KEY", "")
    config = HttpConfig(url=target, timeout=5.0, retry={"total": 2})
    if key:
        config.auth = ApiKeyTokenProvider({"apiKey": key})
    return OpenLineageClient(transport=HttpTransport(config))
