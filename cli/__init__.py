"""The commands: they read options, call the packages below and print."""

import gc

# A command makes a few hundred thousand objects that all live until its end: looking for dead ones among them took
# a tenth of the time of `compile-plan`.
gc.set_threshold(200_000, 20, 100)
