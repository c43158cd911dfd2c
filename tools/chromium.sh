#!/usr/bin/env bash
# Chromium for the tests of the page: an installed one, or Debian's.
set -euo pipefail
source "$(dirname "$0")/apt.sh"
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
if can_apt; then
  apt_install chromium
else
  printf 'setup: %s\n' "the tests of the page need Chromium" "try: install chromium, or set CHROMIUM to its path" >&2
  exit 1
fi
