#!/usr/bin/env bash
# Set-up of a new machine, repeatable: Python, virtual environment, dependencies, a JDK.
# Errors name missing packages; on Debian, as root, they are installed after confirmation, see apt.sh.
# The Python packages are those of requirements/dev.txt, verified by their hashes.
#
#   PYTHON=/path/to/python3.11 tools/bootstrap.sh      to select the Python
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
pip() { "$venv/bin/python" -m pip -qq --disable-pip-version-check --no-input "$@"; }

say "installing dependencies (Spark is some 450 MB: a few minutes on a slow connection)"
pip install --require-hashes --requirement requirements/dev.txt
# Without the wheel's build hook: an editable install needs no jar, `make kernel` builds it. Without isolation: the
# build dependencies are in the list, too.
HATCH_BUILD_NO_HOOKS=true pip install --no-deps --no-build-isolation --editable .
