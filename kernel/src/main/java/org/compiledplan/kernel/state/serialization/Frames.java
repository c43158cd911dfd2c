package org.compiledplan.kernel.state.serialization;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/** A fixed number of framed parts, packed as bytes until they are read. */
public final class Frames<P extends Framed> {
  /**
   * Settings shared by all states of an operator.
   *
   * @param owner owner of the parts, for messages
   * @param fresh creates the parts
   * @param descriptions owner of each part, such as its aggregate call
   */
  public record Layout<P extends Framed>(
      String owner, Supplier<P[]> fresh, List<ObjectNode> descriptions) {
    ObjectNode description(int part) {
      return descriptions.get(part);
    }
  }

  private final Layout<P> layout;

  /** Null while packed. */
  private P[] parts;

  private byte[] stored;
  private int offset;
  private int length;

  /** Fresh parts, until bytes are read. */
  public Frames(Layout<P> layout) {
    this.layout = layout;
  }

  /** Returns the parts, which may be modified. */
  public P[] parts() {
    if (parts != null) return parts;
    P[] read = layout.fresh.get();
    if (stored != null) {
      ByteFields.Reader reader = new ByteFields.Reader(new ByteReader(stored, offset, length));
      for (int i = 0; i < read.length; i++) {
        try {
          reader.frame(null, read[i]);
        } catch (StateFormatException error) {
          throw error.of(layout.owner + ", aggregate " + i);
        }
      }
      stored = null;
    }
    parts = read;
    return parts;
  }

  ObjectNode description(int part) {
    return layout.description(part);
  }

  void read(ByteReader in) {
    length = in.readVarInt();
    offset = in.position();
    stored = in.array();
    parts = null;
    in.skip(length);
  }

  void write(ByteWriter out) {
    if (parts == null && stored != null) {
      out.writeVarLong(length);
      out.writeBytes(stored, offset, length);
      return;
    }
    int start = out.begin();
    ByteFields.Writer writer = new ByteFields.Writer(out);
    for (P part : parts()) writer.frame(null, part);
    out.end(start);
  }
}
