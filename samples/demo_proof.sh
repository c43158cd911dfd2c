#!/usr/bin/env bash
# An upgrade that is proved: a wrong filter is found, the past corrected, a plan promoted from its shadow, a mistake
# taken back. Works in build/demo_proof; needs the commands on PATH (`make demo-proof` puts them there).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
rows=${DEMO_ROWS:-3000}
. "$here/samples/ending.sh"
work=$here/build/demo_proof
rm -rf "$work"
mkdir -p "$work"
cd "$work"
at_end end_jobs

show() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || show() { printf '\n$ %s\n' "$*"; }
step() { show "$@"; as_job "$@"; }
say() { printf '\n%s\n' "$*"; }
sales() { step python "$here/samples/proof/sales.py" "$@"; }
fails() {
  show "$@"
  if as_job "$@"; then echo "this should have failed" >&2; exit 1; fi
}
# Wait until a file has a text.
until_it_says() {
  for _ in $(seq 600); do grep -q "$1" "$2" && return; sleep 0.5; done
  cat "$2" >&2
  exit 1
}

say "The orders of the first day arrive."
sales table
sales orders 1 --rows "$rows"
step compile-plan "$here/samples/proof/first.sql" -o first.json
step execute-plan first.json --checkpoint checkpoint --available-now
fails python "$here/samples/proof/sales.py" check

say "The fixed program: what does it change, and what does it change on the orders of the second day?"
step compile-plan "$here/samples/proof/fixed.sql" -o fixed.json
step diff-plan --example first.json fixed.json
sales orders 2 --rows "$rows"
step execute-plan fixed.json --checkpoint checkpoint --shadow

say "The difference is the one that was intended. Start it, and make the table right for the first day, too."
step execute-plan fixed.json --checkpoint checkpoint --available-now --upgrade correct
sales check

say "A better program runs in the shadow of the running one over the third day, and takes its place."
step compile-plan "$here/samples/proof/second.sql" -o second.json
in_background() {
  local log=$1
  shift
  show "$* > $log &"
  "$@" >"$log" 2>&1 &
}
in_background old.log execute-plan fixed.json --checkpoint checkpoint --trigger 1s
old=$!
in_background new.log execute-plan second.json --checkpoint checkpoint --trigger 1s --shadow --promote --rows "$rows"
new=$!
until_it_says "round 1" new.log
sales orders 3 --rows "$rows"
until_it_says "stop the old run" new.log
show "kill $old"
kill "$old"
until_it_says "promoted" new.log
step cat new.log
sales orders 4 --rows "$rows"
until sales check; do sleep 1; done >/dev/null
show "kill $new"
kill "$new"
wait "$new" || true
sales check

say "Friday: a mistake is deployed."
friday=$(date -u +%Y-%m-%dT%H:%M:%SZ)
sleep 1
sales orders 5 --rows "$rows"
step compile-plan "$here/samples/proof/mistake.sql" -o mistake.json
step execute-plan mistake.json --checkpoint checkpoint --available-now --upgrade migrate-partial
fails python "$here/samples/proof/sales.py" check

say "Back to the state before it, and on with the good program."
step execute-plan --rewind-to "$friday" --checkpoint checkpoint --dry-run
step execute-plan --rewind-to "$friday" --checkpoint checkpoint
step execute-plan second.json --checkpoint checkpoint --available-now --upgrade correct
sales check
