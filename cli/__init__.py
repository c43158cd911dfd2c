"""The commands: parse options, call the packages below, print."""

import gc

# A command allocates a few hundred thousand objects that live until its exit; collecting garbage among them took a
# tenth of the time of `compile-plan`.
gc.set_threshold(200_000, 20, 100)
