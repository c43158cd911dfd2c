"""The tables of `docs/reference/`, made from the declarations: `python -m tools.reference`, which is `make docs`.

A page is written by hand but for its tables, which stand between two comments:

    <!-- table: connectors -->
    ...
    <!-- end -->

`TABLES` has what makes each of them, one module a subject.
"""
