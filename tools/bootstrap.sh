#!/usr/bin/env bash
# Set-up of a new machine, repeatable: Python, virtual environment, dependencies, a JDK.
# Errors name missing packages; on Debian, as root, they are installed after confirmation, see apt.sh.
# The Python packages are those of requirements/dev.txt, verified by their hashes.
#
#   PYTHON=/path/to/python3.11 tools/bootstrap.sh      to select the Python
#   SPARK=4.2.1 VENV=folder tools/bootstrap.sh         with another pyspark than the one of requirements/dev.txt
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }

# shellcheck source=tools/apt.sh
source tools/apt.sh

# --- Python 3.11 or newer -------------------------------------------------------------------------
fit_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.11 python3 python3.12 python3.13 python3.14; do
    if command -v "$candidate" >/dev/null && fit_python "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

if ! python=$(find_python); then
  can_apt || fail "Python 3.11 or newer is needed" "try: install python3.11 and python3.11-venv, or set PYTHON"
  apt_install python3 python3-venv
  python=$(find_python) || fail "this Debian has no Python 3.11 or newer" "try: install one and set PYTHON"
fi

# --- Java -----------------------------------------------------------------------------------------
fit_jdk() { "$python" plans/execution/kernel/java.py; }

if ! problem=$(fit_jdk 2>&1); then
  can_apt || fail "$problem"
  say "${problem%%$'\n'*}"
  # Debian 13 has no Java 17; its default is newer.
  (apt_install openjdk-17-jdk-headless) || apt_install default-jdk-headless
  fit_jdk || exit 1
fi

# --- virtual environment --------------------------------------------------------------------------
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  say "virtual environment $venv with $("$python" --version)"
  if ! "$python" -m venv --clear "$venv" >/dev/null 2>&1; then
    # Debian packages venv separately.
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    can_apt || fail "$python cannot create a virtual environment" "try: apt-get install python$version-venv"
    apt_install "python$version-venv"
    "$python" -m venv --clear "$venv"
  fi
fi

# --- dependencies ---------------------------------------------------------------------------------
# Install with pip, and print its progress: packages, large downloads, builds, the installation. After a failure, print
# its output.
pip_install() {
  local log count=0 line
  log=$(mktemp)
  "$venv/bin/python" -m pip --disable-pip-version-check --no-input install --progress-bar off "$@" 2>&1 | tee "$log" |
    while read -r line; do
      if [[ $line == 'Collecting '* ]]; then
        ((++count % 50)) || say "  $count of $(grep -c == requirements/dev.txt) packages"
      elif [[ $line =~ ^Downloading\ ([^ ]+)\ \(([0-9]+)[0-9.]*\ MB\) ]] && ((BASH_REMATCH[2] >= 20)); then
        say "  downloading ${BASH_REMATCH[1]}, ${BASH_REMATCH[2]} MB"
      elif [[ $line == 'Building wheel for '*started* ]]; then
        say "  building ${line#Building wheel for }"
      elif [[ $line == 'Installing collected packages: '* ]]; then
        say "  installing into $venv"
      fi
    done || {
    cat "$log" >&2
    fail "pip cannot install the dependencies, see its output above" "try: check the connection, then the same command"
  }
  rm -f "$log"
}

say "installing dependencies: 800 MB to download, half of it Spark; minutes on a slow connection"
if [ -z "${SPARK:-}" ]; then
  pip_install --require-hashes --requirement requirements/dev.txt
else
  # Each requirement is a line with its hashes on further, indented lines.
  others=$(mktemp)
  awk '/^[a-z]/ {keep = !/^pyspark==/} keep' requirements/dev.txt > "$others"
  grep "^pyspark==$SPARK " requirements/older-spark.txt >> "$others"
  pip_install --require-hashes --requirement "$others"
  rm -f "$others"
fi
# Without the wheel's build hook: an editable install needs no jar, `make kernel` builds it. Without isolation: the
# build dependencies are in the list, too.
HATCH_BUILD_NO_HOOKS=true pip_install --no-deps --no-build-isolation --editable .
