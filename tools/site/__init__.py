"""The static site of the documents: what `mkdocs build` needs beside `mkdocs.yml`."""
