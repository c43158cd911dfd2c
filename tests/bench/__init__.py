"""Speed and memory as ratios from one run: `make bench`, or `python -m tests.bench [NAME ...] [--quick]`.

Each measurement is a file of `measurements/`. Both sides run as whole processes, in turn, on the same files
with the same micro-batches: `execute-plan` on a plan, and a hand-written PySpark script of `native/`.
"""
