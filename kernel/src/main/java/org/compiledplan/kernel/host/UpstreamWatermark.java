package org.compiledplan.kernel.host;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The watermark of those upstream, as they have told it. They are members of groups: the partitions
 * of each source, or the tasks of the stage before. That of a group is the least of its members,
 * and that of all the least of the groups; who is idle does not count, and where all are idle it is
 * the largest, as in Flink's CombinedWatermarkStatus. Where one that counts has told nothing there
 * is no watermark. None goes back.
 *
 * <p>A member is idle when it has told nothing for the time-out of its group. Time is counted in
 * ticks, which come among the rows: so a task that stands still finds nobody silent.
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

    /** Stands for those who have told nothing yet: their names are not known. */
    private final Member unheard = new Member();

    private long members = 1;
    private long reached = NONE;

    Group(long timeout) {
      this.timeout = timeout;
    }

    boolean isIdle(Member member) {
      return timeout > 0 && member.silence >= timeout;
    }

    /** Adds what it knows; whether all its members are idle. */
    boolean combine() {
      Combined all = new Combined();
      for (Member member : heard.values()) all.add(member.watermark, isIdle(member));
      if (heard.size() < members) all.add(NONE, isIdle(unheard));
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
   * Before anybody has told anything.
   *
   * @param timeouts of each group after how many ms of silence a member is idle; 0 for never
   */
  public UpstreamWatermark(long[] timeouts) {
    groups = new Group[timeouts.length];
    for (int at = 0; at < timeouts.length; at++) groups[at] = new Group(timeouts[at]);
    mayBeIdle = Arrays.stream(timeouts).anyMatch(timeout -> timeout > 0);
  }

  /**
   * Takes what a member tells: it is not silent.
   *
   * @param members how many there are in the group
   */
  public void take(int group, long members, String member, long watermark) {
    groups[group].members = members;
    Member sender = groups[group].heard.computeIfAbsent(member, name -> new Member());
    sender.watermark = Math.max(sender.watermark, watermark);
    sender.silence = 0;
  }

  /** Takes how many members a group has, and what it had reached before, whoever counted then. */
  public void group(int group, long members, long watermark) {
    groups[group].members = members;
    groups[group].reached = Math.max(groups[group].reached, watermark);
  }

  /**
   * Takes what a member had reached before, and for how many ms it has been silent: what it has
   * told meanwhile is newer.
   *
   * @param member null for those who have never told anything
   */
  public void member(int group, String member, long watermark, long silence) {
    Group of = groups[group];
    Member state = member == null ? of.unheard : of.heard.get(member);
    if (state == null) of.heard.put(member, state = new Member());
    else if (member != null) silence = state.silence;
    state.watermark = Math.max(state.watermark, watermark);
    state.silence = silence;
  }

  /** Takes what all had reached before. */
  public void all(long watermark) {
    reached = Math.max(reached, watermark);
  }

  public void tick(long millis) {
    if (!mayBeIdle) return;
    for (Group group : groups) {
      group.unheard.silence += millis;
      for (Member member : group.heard.values()) member.silence += millis;
    }
  }

  /** The watermark by now, {@code Long.MIN_VALUE} if there is none. */
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

  /** Tells what the next batch has to know where any may be idle, in the form of a control row. */
  void tell(Known.Taker to) {
    for (int at = 0; mayBeIdle && at < groups.length; at++) {
      int number = at;
      Group group = groups[at];
      to.take(Known.GROUP, number, null, group.reached);
      to.take(Known.MEMBER, number, null, group.unheard.silence);
      group.heard.forEach((name, member) -> to.take(Known.MEMBER, number, name, member.silence));
    }
  }
}
