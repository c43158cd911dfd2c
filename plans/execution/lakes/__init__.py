"""Tables of lakes: appended to, merged by primary key, read as rows and as changes."""
