#!/usr/bin/env bash
# Two days of orders from Kafka, joined and aggregated, upserted into PostgreSQL, with a restart in between.
# Works in build/demo_kafka; needs the commands on PATH (`make demo-kafka` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$here/build/demo_kafka
. "$here/samples/ending.sh"
# A server of an earlier demo may be alive after `kill -9`; without one, this does nothing.
python -m tools.services --folder "$work/servers" stop kafka postgres
rm -rf "$work"
mkdir -p "$work/data/orders" "$work/data/customers"

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || show() { printf '\n$ %s\n' "$*"; }
step() { show "$@"; as_job "$@"; }
say() { printf '\n%s\n' "$*"; }
cd "$here"
say "Start a Kafka broker and a PostgreSQL server."
finish() {
  end_jobs
  cd "$here" && python -m tools.services --folder "$work/servers" stop kafka postgres
}
at_end finish
python -m tools.services --folder "$work/servers" start kafka postgres | tee "$work/addresses"
broker=$(sed -n 's/^kafka: //p' "$work/addresses")
database=$(sed -n 's/^postgres: //p' "$work/addresses")
python -c 'import sys; from tools.services.kafka import make_topics; make_topics(*sys.argv[1:])' "$broker" orders customers
psql=$(python -c 'from tools.services.postgres import programs; print(programs() / "psql")')
server=${database#jdbc:}
query() { "$psql" -X "$server" -c "$1"; }
query 'CREATE TABLE sales_by_country (country TEXT PRIMARY KEY, orders BIGINT, amount BIGINT)'

cd "$work"
sed -e "s|localhost:9092|$broker|; s|jdbc:postgresql://localhost:5432/postgres?user=postgres|$database|" \
  "$here/samples/kafka/tables.sql" >tables.sql
python "$here/samples/generate.py" --rows "${DEMO_ROWS:-30000}" --upgrade days
day() {
  say "The data of day $1 arrives."
  cp "days/$1/orders.json" "data/orders/$1.json"
  cp "days/$1/customers.json" "data/customers/$1.json"
  step execute-plan --available-now --checkpoint filling fill.json
  step execute-plan --available-now --checkpoint checkpoint plan.json
  show psql -c "'SELECT * FROM sales_by_country ORDER BY country'"
  query 'SELECT * FROM sales_by_country ORDER BY country'
}

step compile-plan --init tables.sql "$here/samples/kafka/fill.sql" -o fill.json
step compile-plan --init tables.sql "$here/samples/kafka/program.sql" -o plan.json
day 1
day 2
