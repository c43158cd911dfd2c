#!/usr/bin/env bash
# Python programs: compile, inspect the state, run the plan, inspect the result.
# Works in build/demo-api; needs the commands on PATH (`make demo-api` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
. "$here/samples/ending.sh"
work=$here/build/demo-api
rm -rf "$work"
mkdir -p "$work"
cd "$work"
at_end end_jobs

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; as_job "$@"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || step() { printf '\n$ %s\n' "$*"; as_job "$@"; }

step python "$here/samples/generate.py" --rows "${DEMO_ROWS:-30000}"
step compile-plan "$here/samples/table_api.py" -o table_api.json
step edit-plan table_api.json
step execute-plan table_api.json
printf '\nThe pages with most clicks per hour, and the number of orders shipped by air:\n'
cat out/table_api/top_pages/*.json | sort
cat out/table_api/by_air/*.json | wc -l
step compile-plan "$here/samples/functions/program.sql" -o functions.json
step edit-plan functions.json
step execute-plan functions.json --functions-from prices
printf '\nPython functions: the mean price per tag, and the number of reduced sales:\n'
cat out/functions/by_tag/*.json | sort
cat out/functions/reduced/*.json | wc -l
step python "$here/samples/conversions/program.py"
