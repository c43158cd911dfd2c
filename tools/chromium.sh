#!/usr/bin/env bash
# Chromium for the tests of the page: one that is there, or Debian's.
set -euo pipefail
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then
  echo "setup: installing chromium with apt-get" >&2
  log=$(mktemp)
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
  rm -f "$log"
else
  echo "setup: the page is tested in Chromium" "try: install chromium, or set CHROMIUM to its path" >&2
  exit 1
fi
