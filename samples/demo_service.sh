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
. "$here/samples/ending.sh"
# A service or runs of an earlier start may be alive: after `kill -9` of this script nobody ends them.
if [ -d "$work/home" ]; then
  alive=$(plan-service ps --home "$work/home")
  if [ "$alive" != $'no service\nno runs' ]; then
    printf 'processes of an earlier demo are alive:\n%s\n' "$alive" >&2
    echo "end the service with \`kill PID\`, and then its runs: plan-service stop-all --home $work/home" >&2
    exit 1
  fi
fi
rm -rf "$work"
mkdir -p "$work/pipelines"
cd "$work"

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; as_job "$@"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || step() { printf '\n$ %s\n' "$*"; as_job "$@"; }

# A run continues when its service ends: stop both.
finish() {
  end_jobs
  [ ! -d "$work/home" ] || plan-service stop-all --home "$work/home" || true
}
at_end finish

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
# In a separate process group, which Ctrl-C does not reach: the end of this script stops it.
set -m
plan-service serve --home home --data data --data out --port "${DEMO_PORT:-8787}" 2> service.log &
service=$!
set +m
as_job python "$here/samples/service/runs.py" service.log live-orders
[ -z "${DEMO_ONCE:-}" ] || exit 0
printf '\nPress Ctrl-C to stop the service and its run.\n'
wait "$service"
