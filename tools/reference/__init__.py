"""Generator of the tables in `docs/reference/` from the declarations: `python -m tools.reference`, run by `make docs`.

Pages are handwritten except for their tables, which are between two comments:

    <!-- table: connectors -->
    ...
    <!-- end -->

`TABLES` has the functions that generate them, with one module per subject.
"""
