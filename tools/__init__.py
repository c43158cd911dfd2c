"""Set-up, the build of the kernel, the check of the wheel, and what is generated from declarations."""
