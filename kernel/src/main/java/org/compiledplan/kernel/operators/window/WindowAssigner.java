package org.compiledplan.kernel.operators.window;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.TimeMath;

/**
 * Assigns a time to its aligned windows: they end at {@link #first}, then every {@link #interval}
 * up to {@link #last}. One instance serves one task: {@link #assign} returns its result in the
 * fields.
 */
public final class WindowAssigner {
  private enum Kind {
    TUMBLING,
    HOPPING,
    CUMULATIVE,
    ATTACHED
  }

  private final Kind kind;
  private final long size;
  private final long slide;
  private final long offset;
  private final long sliceSize;

  /** Ends of the first and the last window; no window if the last is before the first. */
  public long first;

  public long last;

  /** End of the time's slice: times of one slice have the same windows. */
  public long slice;

  /** Distance between the ends in ms. */
  public final long interval;

  public WindowAssigner(OperatorSpec spec) {
    this(spec, spec.get("window"));
  }

  /**
   * @param spec the operator, for errors
   * @param window the description of the windows
   */
  public WindowAssigner(OperatorSpec spec, JsonNode window) {
    String type = window.path("type").asText();
    switch (type) {
      case "tumbling" -> {
        kind = Kind.TUMBLING;
        size = window.path("size").asLong();
        slide = size;
      }
      case "hopping" -> {
        kind = Kind.HOPPING;
        size = window.path("size").asLong();
        slide = window.path("slide").asLong();
      }
      case "cumulative" -> {
        kind = Kind.CUMULATIVE;
        size = window.path("maxSize").asLong();
        slide = window.path("step").asLong();
      }
      case "attached" -> {
        kind = Kind.ATTACHED;
        size = 1;
        slide = 1;
      }
      default -> throw spec.problem("has windows of unknown type " + type);
    }
    TimeMath.window(spec, size);
    interval = TimeMath.window(spec, slide);
    // The offset may exceed the slide; only its remainder matters.
    offset =
        kind == Kind.ATTACHED
            ? 0
            : window.path("offset").asLong() % (kind == Kind.CUMULATIVE ? size : slide);
    sliceSize = BigInteger.valueOf(size).gcd(BigInteger.valueOf(slide)).longValue();
  }

  /** Returns true if rows carry their windows in columns. */
  public boolean isAttached() {
    return kind == Kind.ATTACHED;
  }

  /** Returns true if windows with different ends share their start. */
  public boolean isCumulative() {
    return kind == Kind.CUMULATIVE;
  }

  public void assign(long time) {
    switch (kind) {
      case TUMBLING -> {
        first = time - Math.floorMod(time - offset, size) + size;
        last = first;
      }
      case HOPPING -> {
        long start = time - Math.floorMod(time - offset, slide);
        last = start + size;
        first = start + size - Math.floorDiv(start + size - time - 1, slide) * slide;
      }
      default -> {
        long start = time - Math.floorMod(time - offset, size);
        last = start + size;
        first = start + (time - start) / slide * slide + slide;
      }
    }
    slice = time - Math.floorMod(time - offset, sliceSize) + sliceSize;
  }

  /** Starts of the window that ends at {@code end}; not for attached windows. */
  public long start(long end) {
    return kind == Kind.CUMULATIVE ? end - 1 - Math.floorMod(end - 1 - offset, size) : end - size;
  }
}
