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
cp plan.json compiled.json
step edit-plan plan.json --ttl 5.leftState=3s --ttl 5.rightState=9s
step edit-plan plan.json
step edit-plan --check plan.json
step diff-plan compiled.json plan.json
step execute-plan --dry-run plan.json
step execute-plan plan.json --checkpoint checkpoint
step inspect-state checkpoint

cat <<END

The first of $(cat out/orders_shipments/*.json | wc -l) rows in out/orders_shipments:
$(cat out/orders_shipments/*.json | sort -t : -k 2n | sed 3q)

1. The TTLs are two values in build/demo/plan.json. Edit them there or with edit-plan; the program stays as it is.
2. They bound the state: an order waits 3 s for its shipment, a shipment 9 s for its order. A match after that is not in
   the result. This input is read at once, so all rows meet; endless input without TTLs keeps every row for ever.
3. A TTL may change at each restart, and so may the program: make demo-upgrade shows what that does to the state.

Next: docs/tutorial.md explains these steps, and goes on with Python and a project of your own.
END
