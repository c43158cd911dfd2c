package org.compiledplan.kernel.host;

import java.util.HashMap;
import java.util.Map;

/**
 * The least watermark of those upstream, as they have told it. They are members of groups: the
 * partitions of each source, or the tasks of the stage before. Where one has told nothing there is
 * no watermark.
 */
final class UpstreamWatermark {
  private static final class Group {
    private final Map<String, Long> told = new HashMap<>();
    private long members = 1;
  }

  private final Group[] groups;

  UpstreamWatermark(int groups) {
    this.groups = new Group[groups];
    for (int at = 0; at < groups; at++) this.groups[at] = new Group();
  }

  /**
   * Takes what a member tells; no watermark goes back.
   *
   * @param members how many there are in the group
   */
  void take(int group, long members, String member, long watermark) {
    groups[group].members = members;
    groups[group].told.merge(member, watermark, Math::max);
  }

  /** The watermark by now, {@code Long.MIN_VALUE} if there is none. */
  long least() {
    long least = Long.MAX_VALUE;
    for (Group group : groups) {
      if (group.told.size() < group.members) return Long.MIN_VALUE;
      for (long told : group.told.values()) least = Math.min(least, told);
    }
    return groups.length == 0 ? Long.MIN_VALUE : least;
  }
}
