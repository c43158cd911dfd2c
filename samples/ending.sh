# The end of a demo, with its servers and commands: sourced by the demos.

# Run a function once at the end of the script, also after SIGHUP (a closed terminal), SIGINT and SIGTERM.
at_end() {
  trap "trap '' HUP INT TERM; $1" EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# Run a command as a job, since a signal interrupts `wait` but no command in the foreground.
as_job() { "$@" & wait $!; }

# End the jobs of the script.
end_jobs() {
  local jobs
  jobs=$(jobs -p)
  [ -z "$jobs" ] || { kill $jobs 2>/dev/null; wait $jobs 2>/dev/null; } || true
}
