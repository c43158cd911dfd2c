package org.compiledplan.kernel.formats.avro;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.mapred.FsInput;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.UnreadableException;
import org.compiledplan.kernel.formats.files.TableFiles;
import scala.Function1;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Avro container files as a Spark source and sink; Spark's own are in a package that pyspark does
 * not include. Options: `table`, for messages; `shape` of the rows, whose columns Spark knows as
 * `c0`, `c1`, ...; `schema`, their Avro schema; `codec`.
 */
public final class AvroFiles extends TableFiles {
  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    return true;
  }

  @Override
  public Function1<PartitionedFile, Iterator<InternalRow>> buildReader(
      SparkSession session,
      StructType dataSchema,
      StructType partitionSchema,
      StructType requiredSchema,
      Seq<Filter> filters,
      Map<String, String> options,
      Configuration conf) {
    int[] positions = new int[requiredSchema.length()];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = Integer.parseInt(requiredSchema.fields()[i].name().substring(1));
    }
    return new Open(
        options.apply("table"),
        options.apply("shape"),
        options.apply("schema"),
        positions,
        new SerializableConfiguration(conf));
  }

  @Override
  public OutputWriterFactory prepareWrite(
      SparkSession session, Job job, Map<String, String> options, StructType dataSchema) {
    return new Writers(
        options.apply("table"),
        options.apply("shape"),
        options.apply("schema"),
        options.apply("codec"));
  }

  /** Returns true if a file has no row. */
  public static boolean isEmpty(String path, Configuration conf) throws IOException {
    try (DataFileReader<Object> reader =
        new DataFileReader<>(new FsInput(new Path(path), conf), new GenericDatumReader<>())) {
      return !reader.hasNext();
    }
  }

  private record Open(
      String table, String shape, String schema, int[] positions, SerializableConfiguration conf)
      implements Function1<PartitionedFile, Iterator<InternalRow>>, Serializable {
    @Override
    public Iterator<InternalRow> apply(PartitionedFile file) {
      try {
        DataFileReader<Object> reader =
            new DataFileReader<>(
                new FsInput(file.toPath(), conf.value()), new GenericDatumReader<>());
        closeAtEnd(reader);
        reader.sync(file.start());
        AvroReaders.Reader rows =
            AvroReaders.row(
                reader.getSchema(),
                new Schema.Parser().parse(schema),
                Shape.parse(shape),
                positions);
        return new Rows(reader, rows, file.start() + file.length(), table, file.urlEncodedPath());
      } catch (IOException | RuntimeException e) {
        throw UnreadableException.ofFile(table, file.urlEncodedPath(), DataException.reason(e));
      }
    }
  }

  /** The rows of the blocks that begin in a part of a file. */
  private static final class Rows extends AbstractIterator<InternalRow> {
    private final DataFileReader<Object> file;
    private final AvroReaders.Reader rows;
    private final long end;
    private final String table;
    private final String uri;

    Rows(DataFileReader<Object> file, AvroReaders.Reader rows, long end, String table, String uri) {
      this.file = file;
      this.rows = rows;
      this.end = end;
      this.table = table;
      this.uri = uri;
    }

    @Override
    public boolean hasNext() {
      try {
        return file.hasNext() && !file.pastSync(end);
      } catch (IOException | RuntimeException e) {
        throw fault(e);
      }
    }

    @Override
    public InternalRow next() {
      try {
        return (InternalRow) rows.read(file.next());
      } catch (RuntimeException e) {
        throw fault(e);
      }
    }

    private UnreadableException fault(Exception e) {
      return UnreadableException.ofFile(table, uri, DataException.reason(e));
    }
  }

  private static final class Writers extends OutputWriterFactory {
    private final String table;
    private final String shape;
    private final String schema;
    private final String codec;

    Writers(String table, String shape, String schema, String codec) {
      this.table = table;
      this.shape = shape;
      this.schema = schema;
      this.codec = codec;
    }

    @Override
    public String getFileExtension(TaskAttemptContext context) {
      return ".avro";
    }

    @Override
    public OutputWriter newInstance(
        String path, StructType dataSchema, TaskAttemptContext context) {
      try {
        Schema type = new Schema.Parser().parse(schema);
        Path place = new Path(path);
        DataFileWriter<Object> file = new DataFileWriter<>(new GenericDatumWriter<>(type));
        file.setCodec(CodecFactory.fromString(codec));
        file.create(type, place.getFileSystem(context.getConfiguration()).create(place, false));
        return new Writer(table, path, file, AvroWriters.row(type, Shape.parse(shape)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class Writer extends OutputWriter {
    private final String table;
    private final String path;
    private final DataFileWriter<Object> file;
    private final AvroWriters.RowWriter rows;

    Writer(String table, String path, DataFileWriter<Object> file, AvroWriters.RowWriter rows) {
      this.table = table;
      this.path = path;
      this.file = file;
      this.rows = rows;
    }

    @Override
    public void write(InternalRow row) {
      try {
        file.append(rows.write(row));
      } catch (IOException | RuntimeException e) {
        throw new DataException(DataException.reason(e) + " (written to " + table + ")");
      }
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String path() {
      return path;
    }
  }
}
