#!/usr/bin/env bash
# The service with the samples: registers them, starts the service, runs one sample, prints the address and a token.
# Works in build/demo_service; needs the commands on PATH (`make demo-service` puts them there).
#
#   DEMO_PORT=8787       the port; 0 selects a free one
#   DEMO_ONCE=1          exit after the start of the run, instead of serving until Ctrl-C
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$here/build/demo_service
if [ -f "$work/service.pid" ] && kill -0 "$(cat "$work/service.pid")" 2>/dev/null; then
  echo "the demo's service is running already: stop it, or kill $(cat "$work/service.pid")" >&2
  exit 1
fi
rm -rf "$work"
mkdir -p "$work/pipelines"
cd "$work"

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || step() { printf '\n$ %s\n' "$*"; "$@"; }

# One folder per pipeline, as in a team's repository.
pipeline() {
  mkdir -p "pipelines/$1"
  cp "$here/samples/$2" "pipelines/$1/program.sql"
  printf 'description = "%s"\n' "$3" > "pipelines/$1/pipeline.toml"
}
cp -r "$here/samples/service/live-orders" pipelines/
pipeline orders-with-shipments orders_shipments/program.sql "Orders joined with their shipments, with a TTL per side"
pipeline clicks-deduplicated deduplicate_aggregate/program.sql "Deduplicated clicks, totals by page"
pipeline customer-totals cdc_aggregate/program.sql "Totals over a changelog with updates and deletes"
pipeline sales-by-country upgrade/first.sql "Sales by country: orders joined with their customers"

step python "$here/samples/generate.py" --rows "${DEMO_ROWS:-30000}" > /dev/null
step plan-service sync pipelines --home home --data data --data out

printf '\n$ plan-service serve --home home --data data --data out\n'
# In a separate process group, which Ctrl-C does not reach: this script stops the run first.
set -m
plan-service serve --home home --data data --data out --port "${DEMO_PORT:-8787}" 2> service.log &
service=$!
set +m
echo "$service" > service.pid
# A run continues when its service ends: stop it, too.
finish() {
  python "$here/samples/service/runs.py" stop service.log live-orders >/dev/null 2>&1 || true
  kill "$service" 2>/dev/null || true
  wait "$service" 2>/dev/null || true
  rm -f "$work/service.pid"
}
trap finish EXIT
python "$here/samples/service/runs.py" start service.log live-orders
[ -z "${DEMO_ONCE:-}" ] || exit 0
printf '\nPress Ctrl-C to stop the service.\n'
wait "$service"
