package org.compiledplan.kernel.state;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Parts in a row, as their bytes: adding one leaves those that are there untouched, and they are
 * decoded only when they are asked for. So a key with very many costs little as long as it only
 * grows.
 */
public final class PackedList<T extends Stored> {
  private static final byte[] EMPTY = {};

  private final Supplier<? extends T> fresh;
  private int count;
  private byte[] stored = EMPTY;
  private int offset;
  private int length;

  /** Those that were added since; null without any. */
  private ByteFields.Writer added;

  /**
   * @param fresh makes an element to be read into
   */
  public PackedList(Supplier<? extends T> fresh) {
    this.fresh = fresh;
  }

  public int size() {
    return count;
  }

  public void add(T element) {
    appending();
    element.fields(added);
    count++;
  }

  @SuppressWarnings("unchecked")
  void addStored(Stored element) {
    add((T) element);
  }

  /** Puts another list's elements behind its own. */
  public void addAll(PackedList<T> source) {
    appending();
    source.writeElements(added.out());
    count += source.count;
  }

  private void appending() {
    if (added == null) added = new ByteFields.Writer(new ByteWriter(64));
  }

  public void clear() {
    stored = EMPTY;
    offset = 0;
    length = 0;
    added = null;
    count = 0;
  }

  /** The elements in their order, decoded anew. */
  public List<T> all() {
    List<T> all = new ArrayList<>(count);
    read(new ByteReader(stored, offset, length), all);
    if (added != null) read(new ByteReader(added.out().array(), 0, added.out().size()), all);
    return all;
  }

  private void read(ByteReader in, List<T> into) {
    ByteFields.Reader reader = new ByteFields.Reader(in);
    while (in.hasMore()) {
      T element = fresh.get();
      element.fields(reader);
      into.add(element);
    }
  }

  /** An element to be read into. */
  public T fresh() {
    return fresh.get();
  }

  void read(ByteReader in) {
    count = in.readVarInt();
    length = in.readVarInt();
    stored = in.array();
    offset = in.position();
    added = null;
    in.skip(length);
  }

  void write(ByteWriter out) {
    out.writeVarLong(count);
    out.writeVarLong(length + (added == null ? 0 : added.out().size()));
    writeElements(out);
  }

  private void writeElements(ByteWriter out) {
    out.writeBytes(stored, offset, length);
    if (added != null) out.writeBytes(added.out().array(), 0, added.out().size());
  }
}
