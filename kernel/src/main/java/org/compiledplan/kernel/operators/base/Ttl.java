package org.compiledplan.kernel.operators.base;

import java.util.OptionalLong;

/** State expiry: an entry expires when its last write plus the TTL is not after now. */
public final class Ttl {
  private Ttl() {}

  /** Returns the time in ms at which an entry expires; empty for a TTL of 0 and on overflow. */
  public static OptionalLong expiry(long lastWrite, long ttl) {
    return ttl <= 0 ? OptionalLong.empty() : TimeMath.later(lastWrite, ttl);
  }

  /** Returns true if an entry has expired; all arguments are in ms. */
  public static boolean isExpired(long lastWrite, long ttl, long now) {
    return ttl > 0 && TimeMath.plus(lastWrite, ttl) <= now;
  }
}
