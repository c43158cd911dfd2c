package org.compiledplan.kernel.host.watermarks;

import java.io.Serializable;

/**
 * A control row that carries the watermarks in front of the first stage as known before a batch.
 *
 * @param kind kind of control row
 * @param group number of a source; none in rows of kind {@link #ALL}
 * @param number number of members of a group, or ms for which a member has been silent
 * @param member null for a group, and for all members that have not sent a watermark
 * @param watermark watermark reached, in ms
 */
public record WatermarkRow(byte kind, int group, long number, String member, long watermark)
    implements Serializable {
  /** A member of a group sends its watermark; tasks of the previous stage send such rows. */
  static final byte SENT = 0;

  /** Number of members of a group, and the watermark that it has reached. */
  static final byte GROUP = 1;

  /** The watermark that a member has reached, and for how long it has been silent. */
  static final byte MEMBER = 2;

  /** The watermark that all groups together have reached. */
  static final byte ALL = 3;

  static WatermarkRow group(int group, long members, long watermark) {
    return new WatermarkRow(GROUP, group, members, null, watermark);
  }

  static WatermarkRow member(int group, String name, long watermark, long silence) {
    return new WatermarkRow(MEMBER, group, silence, name, watermark);
  }

  static WatermarkRow all(long watermark) {
    return new WatermarkRow(ALL, 0, 0, null, watermark);
  }

  /** Receives figures of groups and members. */
  interface Receiver {
    /** Receives one figure: a group's watermark in ms, or a member's silence in ms. */
    void take(byte kind, int group, String member, long figure);
  }
}
