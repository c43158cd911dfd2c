#!/usr/bin/env bash
# Changes of a program with state: run it, make a compatible change, then a partially compatible one, roll back.
# Works in build/demo_upgrade; needs the commands on PATH (`make demo-upgrade` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
. "$here/samples/ending.sh"
work=$here/build/demo_upgrade
rm -rf "$work"
mkdir -p "$work/scratch"
cd "$work"
at_end end_jobs
ln -s ../data scratch/data

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || show() { printf '\n$ %s\n' "$*"; }
step() { show "$@"; as_job "$@"; }
say() { printf '\n%s\n' "$*"; }
# Copy a day's files to the folders of the tables.
arrive() {
  say "The data of day $1 arrives."
  for table in orders customers refunds; do
    mkdir -p "data/upgrade/$table"
    cp "days/$1/$table.json" "data/upgrade/$table/$1.json"
  done
}
fails() {
  show "$@"
  if as_job "$@"; then echo "this should have been refused" >&2; exit 1; fi
}
in_scratch() { cd scratch && exec "$@"; }
from_scratch() {
  say "Run the same plan over all days from scratch, in another folder:"
  rm -rf scratch/out
  show execute-plan --available-now --quiet plan.json
  as_job in_scratch execute-plan --available-now --quiet ../plan.json
}

step python "$here/samples/generate.py" --rows "${DEMO_ROWS:-30000}" --upgrade days
arrive 1
step compile-plan "$here/samples/upgrade/first.sql" -o plan.json
step execute-plan --available-now --checkpoint checkpoint plan.json

say "Change amounts to BIGINT, set a TTL for the join, add a query over a new table."
step compile-plan "$here/samples/upgrade/second.sql" -o plan.json
arrive 2
step execute-plan --available-now --checkpoint checkpoint plan.json
cp plan.json second.json

say "Add a filter, a column and an aggregate before the existing one."
fails compile-plan "$here/samples/upgrade/third.sql" -o plan.json
step compile-plan --force --quiet "$here/samples/upgrade/third.sql" -o plan.json
step diff-plan checkpoint plan.json
arrive 3
fails execute-plan --available-now --checkpoint checkpoint plan.json
step execute-plan --available-now --checkpoint checkpoint --upgrade migrate-partial plan.json

say "Roll back to the previous plan and state, and read day 3 again."
step execute-plan --rollback --checkpoint checkpoint
cp second.json plan.json
step execute-plan --available-now --checkpoint checkpoint plan.json
from_scratch
for table in sales_by_country refunds_by_item; do
  step python "$here/samples/upgrade/same.py" "out/upgrade/$table" "scratch/out/upgrade/$table"
done
