package org.compiledplan.kernel.formats;

import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/** A file format of Spark's whose columns are those that a table declares. */
public abstract class TableFiles implements FileFormat, Serializable {
  @Override
  public final Option<StructType> inferSchema(
      SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
    return Option.empty();
  }

  /** Has a file that the running task reads closed when that ends, read to its end or not. */
  protected static void closeAtEnd(Closeable file) {
    TaskContext task = TaskContext.get();
    if (task == null) return;
    task.addTaskCompletionListener(
        (TaskCompletionListener)
            ended -> {
              try {
                file.close();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }
}
