package org.compiledplan.kernel.lines;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.SerializableConfiguration;
import org.compiledplan.kernel.formats.files.TableFiles;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * Line-based files as a Spark source that returns the rows of a table. Spark's own text source
 * would return lines, each copied three times before it is parsed. Options: those of {@link
 * LineTable}; `whole`, true if a file is read by one task from its first line to its last.
 */
public final class LineFiles extends TableFiles {
  /** Returns all columns of such files, as JSON. */
  public static String schema(String shape, List<String> metadata, boolean putsAside) {
    return LineTable.schema(shape, metadata, putsAside).json();
  }

  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    if (Boolean.parseBoolean(options.apply("whole"))) return false;
    return Compression.of(path, session.sessionState().newHadoopConf()) == null;
  }

  @Override
  public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(
      SparkSession session,
      StructType dataSchema,
      StructType partitionSchema,
      StructType requiredSchema,
      Seq<Filter> filters,
      Map<String, String> options,
      Configuration conf) {
    return new Open(new LineTable(options, requiredSchema), new SerializableConfiguration(conf));
  }

  @Override
  public OutputWriterFactory prepareWrite(
      SparkSession session, Job job, Map<String, String> options, StructType dataSchema) {
    throw new UnsupportedOperationException("Spark's text format writes lines");
  }

  private static final class Open extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>>
      implements Serializable {
    private final LineTable table;
    private final SerializableConfiguration conf;
    private transient LineRows.Shared shared;

    Open(LineTable table, SerializableConfiguration conf) {
      this.table = table;
      this.conf = conf;
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile file) {
      if (shared == null) shared = new LineRows.Shared(table.required);
      try {
        Lines lines = Lines.open(file.toPath(), conf.value(), file.start(), file.length());
        closeAtEnd(lines);
        return new LineRows(table, file, lines, shared);
      } catch (IOException e) {
        // Spark words the error for a file that was deleted meanwhile.
        Platform.throwException(e);
        return null;
      }
    }
  }
}
