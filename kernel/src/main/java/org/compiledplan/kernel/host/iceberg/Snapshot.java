package org.compiledplan.kernel.host.iceberg;

/**
 * A snapshot of a table.
 *
 * @param id never {@link #NONE}
 * @param parent the id of the one before, or {@link #NONE}
 * @param time its commit, in ms since 1970
 * @param operation `append`, `replace`, `overwrite` or `delete`
 * @param files number of files that it adds or removes
 * @param rows number of rows in them
 * @param deletes number of delete files that it has
 */
record Snapshot(
    long id, long parent, long time, String operation, long files, long rows, long deletes) {
  /** The id of no snapshot. */
  static final long NONE = -1;

  /** True if it rewrites files without a change of rows. */
  boolean isRewrite() {
    return operation.equals("replace");
  }

  /** True if it may have a row among both the deleted and the inserted ones. */
  boolean carriesOver() {
    return !operation.equals("append") && !operation.equals("delete") && !isRewrite();
  }
}
