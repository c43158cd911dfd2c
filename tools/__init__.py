"""Set-up, kernel build, wheel check, and generators of documentation and code."""
