"""The figures of runs as metrics of Prometheus; needs its client library."""

from __future__ import annotations

from datetime import datetime
from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from compiled_plan.plans.telemetry.figures import RunFigures
from compiled_plan.plans.telemetry.listeners import Message

#: Upper bounds of micro-batch durations, in seconds.
_BUCKETS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class RunMetrics:
    """The figures of runs, by `plan`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, doc: str, *labels: str) -> Counter:
            return Counter(f"compiled_plan_{name}", doc, ["plan", *labels], registry=registry)

        def gauge(name: str, doc: str, *labels: str) -> Gauge:
            return Gauge(f"compiled_plan_{name}", doc, ["plan", *labels], registry=registry)

        self.running = gauge("running", "1 while the plan runs")
        self.failed = counter("failures", "Runs that failed")
        self.batches = counter("batches", "Micro-batches")
        self.rows_in = counter("rows_in", "Rows read from sources")
        self.rows_out = counter("rows_out", "Rows written to sinks")
        self.aside = counter("dead_letters", "Dead letters: unreadable records")
        self.seconds = Histogram(
            "compiled_plan_batch_seconds", "Time of a micro-batch", ["plan"], buckets=_BUCKETS, registry=registry
        )
        self.batch = gauge("last_batch", "Number of the last micro-batch")
        self.at = gauge("last_batch_timestamp_seconds", "End time of the last micro-batch")
        self.watermark = gauge("watermark_timestamp_seconds", "Watermark of the last micro-batch")
        self.state_rows = gauge("state_rows", "Entries of an operator", "operator")
        self.state_bytes = gauge("state_bytes", "Bytes of an operator", "operator")
        self.operator_in = gauge("operator_rows_in", "Rows received by an operator in this run", "operator")
        self.operator_out = gauge("operator_rows_out", "Rows emitted by an operator in this run", "operator")
        self.operator_late = gauge("operator_rows_late", "Rows dropped by an operator as late in this run", "operator")
        self.outcomes = gauge(
            "operator_rows_in_by_outcome", "Rows received by an operator in this run", "operator", "outcome"
        )
        self.changes = gauge(
            "operator_state_changes", "Changes of an operator's state entries in this run", "operator", "change"
        )
        self.source_rows = counter("source_rows", "Rows read from a source", "source")
        lag = "Lag of a source when the last micro-batch was planned"
        self.lag = gauge("source_lag", lag, "source", "unit")
        self.operator_busy = gauge("operator_busy_ratio", "Estimated share of the task slots' time", "operator")
        self.hot_key = gauge("operator_hot_key_ratio", "Share of an operator's rows with its hottest key", "operator")
        self.rows_growth = gauge("state_rows_per_hour", "Growth of an operator's entries", "operator")
        self.bytes_growth = gauge("state_bytes_per_hour", "Growth of an operator's bytes", "operator")
        self.input_rate = gauge("operator_input_rows_per_second", "Rows per second of an input", "operator", "input")
        self.output_rate = gauge("operator_output_rows_per_second", "Rows per second emitted", "operator")
        self.batch_quantile = gauge("batch_quantile_seconds", "Time of micro-batches in 15 minutes", "quantile")
        delay = "Estimated time from a row's arrival until it is written"
        self.delay_quantile = gauge("delay_quantile_seconds", f"{delay}, in 15 minutes", "quantile")
        self.last_delay = gauge("last_delay_seconds", f"{delay}: the longest in 15 seconds, or that of the last rows")

    def take(self, plan: str, message: Message) -> None:
        """Count a message of a run with that plan name."""
        event = message["event"]
        if event == "start":
            self.running.labels(plan).set(1)
            self.failed.labels(plan).inc(0)
        elif event == "batch":
            self._batch(plan, message)
        elif event in ("end", "failed"):
            self.running.labels(plan).set(0)
            self.failed.labels(plan).inc(event == "failed")

    def show(self, plan: str, figures: RunFigures) -> None:
        """Set the gauges of current figures."""
        for gauge, values in ((self.batch_quantile, figures.batch_ms), (self.delay_quantile, figures.delay_ms)):
            if values is not None:
                gauge.labels(plan, "0.5").set(values.p50 / 1000)
                gauge.labels(plan, "0.99").set(values.p99 / 1000)
        if figures.last_delay_ms is not None:
            self.last_delay.labels(plan).set(figures.last_delay_ms / 1000)
        for operator in figures.operators:
            known = {
                self.operator_busy: operator.busy,
                self.hot_key: operator.hot_keys[0].share if operator.hot_keys else None,
                self.rows_growth: operator.rows_per_hour,
                self.bytes_growth: operator.bytes_per_hour,
                self.output_rate: operator.out_per_second,
            }
            for metric, value in known.items():
                if value is not None:
                    metric.labels(plan, operator.uid).set(value)
            for number, rate in enumerate(operator.in_per_second):
                self.input_rate.labels(plan, operator.uid, str(number)).set(rate)

    def _batch(self, plan: str, message: Message) -> None:
        self.batches.labels(plan).inc()
        self.rows_in.labels(plan).inc(message["rowsIn"])
        self.rows_out.labels(plan).inc(message["rowsOut"])
        self.aside.labels(plan).inc(message["deadLetters"])
        self.seconds.labels(plan).observe(message["batchMillis"] / 1000)
        self.batch.labels(plan).set(message["batch"])
        self.at.labels(plan).set(datetime.fromisoformat(message["at"]).timestamp())
        if message["watermark"] is not None:
            self.watermark.labels(plan).set(datetime.fromisoformat(message["watermark"]).timestamp())
        for operator in message["operators"]:
            uid = operator["uid"]
            self.state_rows.labels(plan, uid).set(operator["stateRows"])
            if operator["stateBytes"] is not None:
                self.state_bytes.labels(plan, uid).set(operator["stateBytes"])
            self.operator_in.labels(plan, uid).set(operator["rowsIn"])
            self.operator_out.labels(plan, uid).set(operator["rowsOut"])
            # Releases before 0.3 report no late rows.
            self.operator_late.labels(plan, uid).set(operator.get("rowsLate", 0))
            # Releases before 0.5 report no accounts.
            for metric, name in ((self.outcomes, "rowsInByOutcome"), (self.changes, "stateChanges")):
                for label, count in operator.get(name, {}).items():
                    metric.labels(plan, uid, label).set(count)
        for source in message["sources"]:
            self.source_rows.labels(plan, source["name"]).inc(source["rows"])
            if source["lag"] is not None:
                self.lag.labels(plan, source["name"], source["lagUnit"]).set(source["lag"])


def serve(host: str, port: int) -> tuple[RunMetrics, WSGIServer, Thread]:
    """Serve new metrics at `/metrics`: the metrics, and the server with its thread.

    Raises:
        OSError: the address cannot be used.
    """
    registry = CollectorRegistry()
    return (RunMetrics(registry), *start_http_server(port, host, registry))
