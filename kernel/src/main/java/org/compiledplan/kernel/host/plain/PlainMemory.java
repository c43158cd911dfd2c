package org.compiledplan.kernel.host.plain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The state of a {@link PlainQuery}, which another one may continue with. */
public final class PlainMemory {
  /** A key of an operator. */
  record Id(String uid, String key) {}

  /** A key with the time of its timer. */
  record Timer(Id id, long time) {}

  private final Map<Id, byte[]> states = new HashMap<>();
  private final Map<Id, Long> timers = new HashMap<>();

  /** The watermark of the query in ms; 0 before the first one, like Spark's. */
  private long watermark;

  public long watermark() {
    return watermark;
  }

  /** Receives the state of a key as the host stores it. */
  public interface Visitor {
    void visit(String uid, String key, byte[] bytes);
  }

  /** Visits the state of all keys. */
  public void visit(Visitor visitor) {
    states.forEach((id, bytes) -> visitor.visit(id.uid(), id.key(), bytes));
  }

  /** Returns an empty memory with the same watermark. */
  public PlainMemory emptied() {
    PlainMemory next = new PlainMemory();
    next.watermark = watermark;
    return next;
  }

  /** Advances the watermark; returns false if it is not later than the last. */
  public boolean move(long millis) {
    if (millis <= watermark) return false;
    watermark = millis;
    return true;
  }

  byte[] get(Id id) {
    return states.get(id);
  }

  void put(Id id, byte[] bytes) {
    states.put(id, bytes);
  }

  void remove(Id id) {
    states.remove(id);
  }

  void setTimer(Id id, long time) {
    timers.put(id, time);
  }

  void dropTimer(Id id) {
    timers.remove(id);
  }

  /** Takes the timers of operators that are due, earliest first. */
  List<Timer> takeDue(Map<String, Long> nowByUid) {
    List<Timer> due = new ArrayList<>();
    timers.forEach(
        (id, time) -> {
          Long now = nowByUid.get(id.uid());
          if (now != null && time <= now) due.add(new Timer(id, time));
        });
    due.sort(
        Comparator.comparingLong(Timer::time)
            .thenComparing(timer -> timer.id().uid())
            .thenComparing(timer -> timer.id().key()));
    for (Timer timer : due) timers.remove(timer.id());
    return due;
  }
}
