"""Programs and plans as versions of pipelines, from the API and from plain files."""
