package org.compiledplan.kernel.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.sinks.RowSink;

/**
 * Writes lines into a file per batch and partition, which becomes visible when the batch ends. A
 * replayed batch removes the files of its previous attempt.
 *
 * <p>Description: {@code {"folder", "staging": prefix of the staging folder's name, "run", "mark",
 * "ending"}}; rows have the line.
 */
final class FileRows implements RowSink {
  private final FileSystem files;
  private final Path aside;
  private final Path place;
  private OutputStream out;

  FileRows(JsonNode spec, Task task) throws IOException {
    String batch = spec.path("run").asText() + "-" + task.epoch();
    String mark = spec.path("mark").asText(), ending = spec.path("ending").asText();
    String name = "part-" + batch + "-" + mark + task.partition() + "." + ending;
    Path folder = new Path(spec.path("folder").asText());
    files = folder.getFileSystem(task.hadoop());
    aside = new Path(new Path(folder, spec.path("staging").asText() + batch), name);
    place = new Path(folder, name);
    files.delete(place, false);
    files.delete(aside, false);
  }

  @Override
  public void write(Row row) throws IOException {
    if (out == null) out = new BufferedOutputStream(files.create(aside, true), 1 << 16);
    out.write(row.getString(0).getBytes(StandardCharsets.UTF_8));
    out.write('\n');
  }

  @Override
  public void finish() throws IOException {
    if (out == null) return;
    out.close();
    if (!files.rename(aside, place)) throw new IOException("cannot move " + aside + " to " + place);
    removeAside();
  }

  @Override
  public void abort() {
    try {
      if (out != null) out.close();
      files.delete(aside, false);
      removeAside();
    } catch (IOException error) {
      // The replayed batch removes it.
    }
  }

  /** Removes the staging folder if it is empty, which the last task finds. */
  private void removeAside() {
    try {
      files.delete(aside.getParent(), false);
    } catch (IOException error) {
      // Another task still has a file there.
    }
  }
}
