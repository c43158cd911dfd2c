"""Static documentation site: MkDocs hooks and vendored scripts."""
