package org.compiledplan.kernel.operators.base;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.compiledplan.kernel.state.serialization.ByteFields;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.SchemaFields;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.state.serialization.TreeFields;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Serialization of an operator's state: one byte with the version of the format, then the fields of
 * {@code S}. The operator reads and writes its state with it; tools decode stored state ({@link
 * #decode}), encode new state ({@link #encode}) and set its timers ({@link #nextDue}).
 *
 * @param <S> the decoded state
 */
public final class StateFormat<S extends KeyState> {
  private final String owner;
  private final StateKind kind;
  private final Supplier<? extends S> fresh;
  private final Columns[] keys;
  private final ByteWriter out = new ByteWriter(256);
  private final ByteFields.Writer writer = new ByteFields.Writer(out);

  /**
   * @param fresh creates the state of a key that has none
   */
  StateFormat(OperatorSpec spec, StateKind kind, Supplier<? extends S> fresh) {
    this.owner = "operator " + spec.uid() + " (" + spec.type() + ")";
    this.kind = kind;
    this.fresh = fresh;
    keys = new Columns[spec.inputs().length];
    for (int i = 0; i < keys.length; i++)
      keys[i] = Columns.ofInput(i, spec.inputs()[i], spec.key(i));
  }

  /** State of a key that has none. */
  public S fresh() {
    return fresh.get();
  }

  /** Decodes a state; fresh for null. */
  public S read(byte[] bytes) {
    S state = fresh.get();
    if (bytes == null) return state;
    checkVersion(bytes[0]);
    state.fields(new ByteFields.Reader(new ByteReader(bytes, 1, bytes.length - 1)));
    return state;
  }

  private void checkVersion(int version) {
    if (version == kind.version()) return;
    throw new StateFormatException(
        ("%s: its state is of the format %s in version %s, known here is version %s; run it "
                + "with the release that wrote it, or start with an empty checkpoint")
            .formatted(owner, kind.text(), version, kind.version()));
  }

  byte[] write(S state) {
    out.clear();
    out.writeByte(kind.version());
    state.fields(writer);
    return out.toBytes();
  }

  /**
   * Stores the state of a key, or removes it if it has no entries.
   *
   * @param before number of entries of the stored state; 0: there is none
   */
  public void save(KeyedState to, S state, BatchContext context, int before) {
    int entries = state.entries();
    if (entries > 0) to.put(this, state, state.nextDue(context), entries - before);
    else if (before > 0) to.remove(-before);
  }

  public StateKind kind() {
    return kind;
  }

  /** Returns the fields of the state. */
  public List<FieldShape> fields() {
    return SchemaFields.of(fresh.get());
  }

  /** Returns, per input, the columns whose values form the key. */
  public Columns[] keys() {
    return keys.clone();
  }

  /** Decodes a state into a tree by field names; see {@link TreeFields}. */
  public Tree decode(byte[] bytes) {
    return TreeFields.Writer.of(read(bytes));
  }

  /**
   * Encodes the result of {@link #decode}.
   *
   * @throws StateFormatException if a field is missing, unknown or of another class
   */
  public byte[] encode(Tree tree) {
    return encode(tree, new BitSet());
  }

  /**
   * Encodes a tree and recomputes new aggregate calls from the stored rows.
   *
   * @param newCalls positions of calls that the tree's operator did not have; their accumulators
   *     are fresh
   * @throws StateFormatException if a field is missing, unknown or of another class
   */
  public byte[] encode(Tree tree, BitSet newCalls) {
    S state = fresh.get();
    TreeFields.Reader.into(state, tree);
    if (!newCalls.isEmpty()) state.recount(newCalls);
    return write(state);
  }

  /**
   * Returns the time in ms of the operator's time domain at which a key with this state is due;
   * empty for never.
   */
  public OptionalLong nextDue(byte[] bytes, BatchContext context) {
    return read(bytes).nextDue(context);
  }

  /**
   * Puts the state of a key that has none, as the operator would: with its due time, by this
   * operator's TTLs.
   *
   * @return false if the whole state has expired and nothing was put
   */
  public boolean put(KeyedState to, byte[] bytes, BatchContext context) {
    S state = read(bytes);
    int entries = state.entries();
    if (entries == 0 || state.isExpired(context)) return false;
    to.put(bytes, state.nextDue(context), entries);
    return true;
  }

  /** Returns the number of entries in the state. */
  public int entries(byte[] bytes) {
    return read(bytes).entries();
  }

  /** Reports the times of each entry of the state. */
  public void entryTimes(byte[] bytes, EntryTimes to) {
    read(bytes).entryTimes(to);
  }

  /**
   * Returns a description as JSON: kind and version; per input, the columns that form the key; the
   * fields, see {@link FieldShape#describe}.
   */
  public ObjectNode describe() {
    ObjectNode description = JsonNodeFactory.instance.objectNode();
    description.put("kind", kind.text()).put("version", kind.version());
    ArrayNode described = description.putArray("keys");
    for (Columns key : keys) key.describe(described.addArray());
    description.set("fields", FieldShape.describe(fields()));
    return description;
  }
}
