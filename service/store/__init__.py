"""The registry's database: its tables, their migrations, and functions of a session that read and write them."""
