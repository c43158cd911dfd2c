package org.compiledplan.kernel.formats;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import scala.collection.immutable.Map;

/**
 * Spark's text files, each read by one task from its first line to its last: a record may have
 * several lines.
 */
public final class WholeFileText extends TextFileFormat {
  private static final long serialVersionUID = 1L;

  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    return false;
  }
}
