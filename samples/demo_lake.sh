#!/usr/bin/env bash
# Orders from Kafka, joined and aggregated, merged into a Delta table; then the program and the table get a column.
# Works in build/demo_lake; needs the commands on PATH, for a Spark with Delta Lake (`make demo-lake` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$here/build/demo_lake
. "$here/samples/ending.sh"
# A server of an earlier demo may be alive after `kill -9`; without one, this does nothing.
python -m tools.services --folder "$work/servers" stop kafka
rm -rf "$work"
mkdir -p "$work/data/orders" "$work/data/customers"

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || show() { printf '\n$ %s\n' "$*"; }
step() { show "$@"; as_job "$@"; }
say() { printf '\n%s\n' "$*"; }
say "This demo runs on Spark $(python -c 'import pyspark; print(pyspark.__version__)'), the newest with a Delta Lake."
say "Start a Kafka broker."
finish() {
  end_jobs
  cd "$here" && python -m tools.services --folder "$work/servers" stop kafka
}
at_end finish
python -m tools.services --folder "$work/servers" start kafka | tee "$work/addresses"
broker=$(sed -n 's/^kafka: //p' "$work/addresses")
python -c 'import sys; from tools.services.kafka import make_topics; make_topics(*sys.argv[1:])' "$broker" orders customers

cd "$work"
sed "s|localhost:9092|$broker|" "$here/samples/kafka/tables.sql" >tables.sql
python "$here/samples/generate.py" --rows "${DEMO_ROWS:-30000}" --upgrade days
arrive() {
  say "The data of day $1 arrives."
  cp "days/$1/orders.json" "data/orders/$1.json"
  cp "days/$1/customers.json" "data/customers/$1.json"
  as_job execute-plan --quiet --available-now --checkpoint filling fill.json
}

compile-plan --quiet --init tables.sql "$here/samples/kafka/fill.sql" -o fill.json
step compile-plan --init tables.sql "$here/samples/lake/first.sql" -o plan.json
arrive 1
step execute-plan --available-now --checkpoint checkpoint plan.json

say "Add a column, the average amount of an order. The option mergeSchema adds it to the table."
step compile-plan --force --quiet --init tables.sql "$here/samples/lake/second.sql" -o plan.json
step diff-plan checkpoint plan.json
arrive 2
step execute-plan --available-now --checkpoint checkpoint --upgrade migrate-partial plan.json

say "Time travel: version 1 of the table, before the change, beside its newest one."
step compile-plan "$here/samples/lake/growth.sql" -o growth.json
step execute-plan --quiet growth.json
