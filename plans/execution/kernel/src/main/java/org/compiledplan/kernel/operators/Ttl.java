package org.compiledplan.kernel.operators;

/** The rule of state expiry: an entry is gone when its last write plus the TTL is not after now. */
public final class Ttl {
  /** The expiry of an entry that never expires. */
  public static final long NEVER = Long.MAX_VALUE;

  private Ttl() {}

  /** Time in ms at which an entry expires; a TTL of 0 is none. */
  public static long expiry(long lastWrite, long ttl) {
    if (ttl <= 0) return NEVER;
    long expiry = lastWrite + ttl;
    return expiry < lastWrite ? NEVER : expiry;
  }

  public static boolean isExpired(long lastWrite, long ttl, long now) {
    return ttl > 0 && expiry(lastWrite, ttl) <= now;
  }
}
