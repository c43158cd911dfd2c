#!/usr/bin/env bash
# A job in Flink over Kafka, stopped with a savepoint: its plan goes on here, and then in Flink again.
# Works in build/demo_move; needs the commands on PATH (`make demo-move` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$here/build/demo_move
. "$here/samples/ending.sh"
# A server of an earlier demo may be alive after `kill -9`; without one, this does nothing.
python -m tools.services --folder "$work/servers" stop kafka
rm -rf "$work"
mkdir -p "$work/data/orders" "$work/data/customers" "$work/scratch" "$work/read"

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || show() { printf '\n$ %s\n' "$*"; }
step() { show "$@"; as_job "$@"; }
say() { printf '\n%s\n' "$*"; }
say "Start a Kafka broker."
finish() {
  end_jobs
  cd "$here" && python -m tools.services --folder "$work/servers" stop kafka
}
at_end finish
python -m tools.services --folder "$work/servers" start kafka | tee "$work/addresses"
broker=$(sed -n 's/^kafka: //p' "$work/addresses")
python -c 'import sys; from tools.services.kafka import make_topics; make_topics(*sys.argv[1:])' \
  "$broker" orders customers sales_by_country from_scratch

cd "$work"
sed "s|localhost:9092|$broker|" "$here/samples/move/tables.sql" >tables.sql
sed "s|'topic' = 'sales_by_country'|'topic' = 'from_scratch'|" tables.sql >scratch/tables.sql
python "$here/samples/generate.py" --rows "${DEMO_ROWS:-30000}" --upgrade days
arrive() {
  say "The data of day $1 arrives."
  cp "days/$1/orders.json" "data/orders/$1.json"
  cp "days/$1/customers.json" "data/customers/$1.json"
  execute-plan --quiet --available-now --checkpoint filling fill.json
}
# Write the changes of a topic with the result to the folder `out`.
read_result() (cd "$1" && compile-plan --quiet --init tables.sql "$here/samples/move/read.sql" -o read.json &&
  execute-plan --quiet --available-now read.json)

compile-plan --quiet --init tables.sql "$here/samples/kafka/fill.sql" -o fill.json
step compile-plan --init tables.sql "$here/samples/kafka/program.sql" -o plan.json
arrive 1
say "Flink runs the plan until it has read day 1, and stops with a savepoint."
# Run the plan in Flink over the rows of a day, from a savepoint if there is one; print the savepoint at its end.
in_flink() {
  local rows
  rows=$(cat "$work/days/$1"/{orders,customers}.json | wc -l)
  (cd "$here" && python -m tests.savepoints.stop "$work/plan.json" "$rows" "$work/savepoints" "${@:2}")
}
savepoint=$(in_flink 1)
step import-state "$savepoint" plan.json --dry-run
step import-state "$savepoint" plan.json --checkpoint checkpoint
arrive 2
step execute-plan --available-now --checkpoint checkpoint plan.json

say "Go back: Flink goes on from an exported savepoint, with day 3."
step export-state checkpoint --flink --to back
arrive 3
in_flink 3 "$work/back"

say "Run the same plan over all days from scratch, into another topic:"
(cd scratch && compile-plan --quiet --init tables.sql "$here/samples/kafka/program.sql" -o plan.json &&
  execute-plan --quiet --available-now plan.json)
cp tables.sql read/
read_result read
read_result scratch
step python "$here/samples/upgrade/same.py" read/out scratch/out
