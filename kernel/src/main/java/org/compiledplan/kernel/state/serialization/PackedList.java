package org.compiledplan.kernel.state.serialization;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * A list of parts as bytes: appending does not touch the existing bytes, and parts are decoded on
 * demand. A key with very many parts stays cheap while it only grows.
 */
public final class PackedList<T extends Stored> {
  private static final byte[] EMPTY = {};

  private final Supplier<? extends T> fresh;
  private int count;
  private byte[] stored = EMPTY;
  private int offset;
  private int length;

  /** Parts added since the list was read; null if there are none. */
  private ByteFields.Writer added;

  /**
   * @param fresh creates an empty part to read into
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

  /** Appends another list's elements. */
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

  /** Returns the elements in order, decoded anew. */
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

  /** Returns an empty element to read into. */
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
