"""Programs and plans as pipeline versions, from the API and from plain files."""
