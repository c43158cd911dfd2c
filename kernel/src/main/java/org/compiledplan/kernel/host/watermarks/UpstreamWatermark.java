package org.compiledplan.kernel.host.watermarks;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The combined watermark of upstream senders. Senders are members of groups: the partitions of each
 * source, or the tasks of the previous stage. A group's watermark is the least of its members', and
 * the combined watermark is the least of the groups'; idle members do not count, and if all are
 * idle the largest counts, as in Flink's CombinedWatermarkStatus. There is no watermark while a
 * counted member has not sent one. Watermarks never go back.
 *
 * <p>A member is idle when it has not sent a watermark for its group's timeout. Time is counted in
 * ticks, which arrive among the rows: a stalled task thus sees no silence.
 */
public final class UpstreamWatermark {
  private static final long NONE = PartitionWatermarks.NONE;

  private static final class Member {
    private long watermark = NONE;
    private long silence;
  }

  private static final class Group {
    private final long timeout;
    private final Map<String, Member> heard = new HashMap<>();

    /** Represents members that have not sent a watermark yet: their names are unknown. */
    private final Member silent = new Member();

    private long members = 1;
    private long reached = NONE;

    Group(long timeout) {
      this.timeout = timeout;
    }

    boolean isIdle(Member member) {
      return timeout > 0 && member.silence >= timeout;
    }

    /** Adds the watermarks of the group; returns true if all its members are idle. */
    boolean combine() {
      Combined all = new Combined();
      for (Member member : heard.values()) all.add(member.watermark, isIdle(member));
      if (heard.size() < members) all.add(NONE, isIdle(silent));
      reached = Math.max(reached, all.watermark());
      return all.idle;
    }
  }

  private static final class Combined {
    private boolean idle = true;
    private long least = Long.MAX_VALUE;
    private long largest = NONE;

    void add(long watermark, boolean isIdle) {
      largest = Math.max(largest, watermark);
      if (isIdle) return;
      idle = false;
      least = Math.min(least, watermark);
    }

    long watermark() {
      return idle ? largest : least;
    }
  }

  private final Group[] groups;
  private final boolean mayBeIdle;
  private long reached = NONE;

  /**
   * Creates an empty watermark.
   *
   * @param timeouts idle timeout of a member per group, in ms; 0 for none
   */
  public UpstreamWatermark(long[] timeouts) {
    groups = new Group[timeouts.length];
    for (int at = 0; at < timeouts.length; at++) groups[at] = new Group(timeouts[at]);
    mayBeIdle = Arrays.stream(timeouts).anyMatch(timeout -> timeout > 0);
  }

  /**
   * Takes a member's watermark and marks it active.
   *
   * @param members number of members of the group
   */
  public void take(int group, long members, String member, long watermark) {
    groups[group].members = members;
    Member sender = groups[group].heard.computeIfAbsent(member, name -> new Member());
    sender.watermark = Math.max(sender.watermark, watermark);
    sender.silence = 0;
  }

  /** Takes the number of members of a group, and the watermark that it had reached before. */
  public void group(int group, long members, long watermark) {
    groups[group].members = members;
    groups[group].reached = Math.max(groups[group].reached, watermark);
  }

  /**
   * Takes the watermark that a member had reached before, and for how many ms it has been silent;
   * watermarks received meanwhile are newer.
   *
   * @param member null for members that have not sent a watermark
   */
  public void member(int group, String member, long watermark, long silence) {
    Group of = groups[group];
    Member state = member == null ? of.silent : of.heard.get(member);
    if (state == null) of.heard.put(member, state = new Member());
    else if (member != null) silence = state.silence;
    state.watermark = Math.max(state.watermark, watermark);
    state.silence = silence;
  }

  /** Takes the combined watermark reached before. */
  public void all(long watermark) {
    reached = Math.max(reached, watermark);
  }

  public void tick(long millis) {
    if (!mayBeIdle) return;
    for (Group group : groups) {
      group.silent.silence += millis;
      for (Member member : group.heard.values()) member.silence += millis;
    }
  }

  /** Returns the current watermark in ms, {@code Long.MIN_VALUE} if there is none. */
  public long least() {
    Combined all = new Combined();
    for (Group group : groups) {
      boolean idle = group.combine();
      all.add(group.reached, idle);
    }
    if (groups.length > 0) reached = Math.max(reached, all.watermark());
    return reached;
  }

  boolean mayBeIdle() {
    return mayBeIdle;
  }

  /** Reports what the next batch needs if members may be idle, in the form of control rows. */
  void report(WatermarkRow.Receiver to) {
    for (int at = 0; mayBeIdle && at < groups.length; at++) {
      int number = at;
      Group group = groups[at];
      to.take(WatermarkRow.GROUP, number, null, group.reached);
      to.take(WatermarkRow.MEMBER, number, null, group.silent.silence);
      group.heard.forEach(
          (name, member) -> to.take(WatermarkRow.MEMBER, number, name, member.silence));
    }
  }
}
