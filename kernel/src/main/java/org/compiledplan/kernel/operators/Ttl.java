package org.compiledplan.kernel.operators;

import java.util.OptionalLong;

/** The rule of state expiry: an entry is gone when its last write plus the TTL is not after now. */
public final class Ttl {
  private Ttl() {}

  /**
   * Time in ms at which an entry expires; none with a TTL of 0, and with one that goes on beyond
   * all times.
   */
  public static OptionalLong expiry(long lastWrite, long ttl) {
    return ttl <= 0 ? OptionalLong.empty() : TimeMath.later(lastWrite, ttl);
  }

  public static boolean isExpired(long lastWrite, long ttl, long now) {
    return ttl > 0 && TimeMath.plus(lastWrite, ttl) <= now;
  }
}
