# Installation of Debian packages as root, for the scripts in this folder; outside CI only after confirmation.
#
#   CI=true or INSTALL_PACKAGES=yes      installs without confirmation

can_apt() { [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null; }

may_install() {
  case "${INSTALL_PACKAGES:-${CI:-}}" in yes | true | 1) return 0 ;; esac
  if ! { [ -t 0 ] && [ -t 2 ]; }; then
    printf 'setup: %s\n' "$* is needed, and without a terminal it is not installed as root" \
      "try: apt-get install $*, or set INSTALL_PACKAGES=yes" >&2
    return 1
  fi
  local answer
  read -r -p "setup: install $* with apt-get, as root? [y/N] " answer
  case "$answer" in y | Y | yes) return 0 ;; esac
  printf 'setup: %s\n' "try: apt-get install $*" >&2
  return 1
}

apt_install() {
  may_install "$@" || exit 1
  printf 'setup: installing %s with apt-get\n' "$*" >&2
  local log
  log=$(mktemp)
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } \
    >"$log" 2>&1 || {
    cat "$log" >&2
    printf 'setup: apt-get could not install %s\n' "$*" >&2
    exit 1
  }
  rm -f "$log"
}
