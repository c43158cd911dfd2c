#!/usr/bin/env bash
# Chromium for the tests of the page: one that is there, or Debian's.
set -euo pipefail
source "$(dirname "$0")/apt.sh"
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
if can_apt; then
  apt_install chromium
else
  printf 'setup: %s\n' "the page is tested in Chromium" "try: install chromium, or set CHROMIUM to its path" >&2
  exit 1
fi
