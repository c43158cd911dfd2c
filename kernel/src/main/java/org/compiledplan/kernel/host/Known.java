package org.compiledplan.kernel.host;

import java.io.Serializable;

/**
 * What is known of the watermarks in front of the first stage before a batch begins, as a control
 * row tells it.
 *
 * @param kind of control row
 * @param group a source; none in rows of kind {@link #ALL}
 * @param number how many members a group has, or for how many ms a member is silent
 * @param member null for a group, and for all members who have never told anything
 * @param watermark that was reached
 */
public record Known(byte kind, int group, long number, String member, long watermark)
    implements Serializable {
  /** A member of a group tells its watermark: such rows come from tasks upstream. */
  static final byte TOLD = 0;

  /** How many members a group has, and what it has reached. */
  static final byte GROUP = 1;

  /** What a member has reached, and how long it is silent. */
  static final byte MEMBER = 2;

  /** What all groups together have reached. */
  static final byte ALL = 3;

  static Known group(int group, long members, long watermark) {
    return new Known(GROUP, group, members, null, watermark);
  }

  static Known member(int group, String name, long watermark, long silence) {
    return new Known(MEMBER, group, silence, name, watermark);
  }

  static Known all(long watermark) {
    return new Known(ALL, 0, 0, null, watermark);
  }

  /** Takes figures of groups and members. */
  interface Taker {
    /** A figure of this kind: a watermark of a group, or the silence of a member, in ms. */
    void take(byte kind, int group, String member, long figure);
  }
}
