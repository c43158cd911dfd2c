"""Tables of files on Hadoop's file systems: sources of folders, and sinks that write micro-batches into them."""
