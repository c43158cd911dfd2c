package org.compiledplan.kernel.operators.base;

import java.util.OptionalLong;
import org.compiledplan.kernel.state.serialization.Fields;

/** State that expires as a whole: the time of the last write, then the operator's fields. */
public abstract class SingleEntry implements KeyState {
  private final long ttl;
  long lastWrite;

  public SingleEntry(long ttl) {
    this.ttl = ttl;
  }

  @Override
  public final void fields(Fields io) {
    lastWrite = io.time("lastWrite", lastWrite);
    content(io);
  }

  /** Reads, writes or describes the operator's fields. */
  public abstract void content(Fields io);

  @Override
  public OptionalLong nextDue(BatchContext context) {
    return Ttl.expiry(lastWrite, ttl);
  }

  @Override
  public boolean isExpired(BatchContext context) {
    return Ttl.isExpired(lastWrite, ttl, context.processingTime());
  }

  /** Returns the time since the last write, in ms. */
  public final long age(BatchContext context) {
    return context.processingTime() - lastWrite;
  }

  @Override
  public int entries() {
    return 1;
  }

  @Override
  public void entryTimes(EntryTimes to) {
    to.entry(0, lastWrite, EntryTimes.NONE);
  }
}
