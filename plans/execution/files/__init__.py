"""Tables of files over Hadoop's file systems: what is read of a folder, and micro-batches written into one."""
