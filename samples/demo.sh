#!/usr/bin/env bash
# The main workflow: compile a program, inspect its state, edit two TTLs, run the plan, inspect the result.
# Works in build/demo; needs the commands on PATH (`make demo` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
. "$here/samples/ending.sh"
work=$here/build/demo
rm -rf "$work"
mkdir -p "$work"
cd "$work"
at_end end_jobs

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; as_job "$@"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || step() { printf '\n$ %s\n' "$*"; as_job "$@"; }

step python "$here/samples/generate.py" --rows "${DEMO_ROWS:-300000}"
step compile-plan "$here/samples/orders_shipments/program.sql" -o plan.json
step edit-plan plan.json --ttl 5.leftState=3s --ttl 5.rightState=9s
step edit-plan plan.json
step edit-plan --check plan.json
step execute-plan --dry-run plan.json
step execute-plan plan.json
printf '\nThe first rows of out/orders_shipments, and the number of rows:\n'
cat out/orders_shipments/*.json | sort | head -n 3 || true
cat out/orders_shipments/*.json | wc -l
