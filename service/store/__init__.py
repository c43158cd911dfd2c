"""The registry's database: tables, migrations, and functions that read and write them in a session."""
