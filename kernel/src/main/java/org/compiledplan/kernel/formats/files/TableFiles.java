package org.compiledplan.kernel.formats.files;

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

/** A Spark file format whose columns are declared by a table. */
public abstract class TableFiles implements FileFormat, Serializable {
  @Override
  public final Option<StructType> inferSchema(
      SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
    return Option.empty();
  }

  /** Closes a file when the current task ends, whether or not it was read to its end. */
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
