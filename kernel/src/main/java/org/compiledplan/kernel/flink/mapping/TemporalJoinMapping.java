package org.compiledplan.kernel.flink.mapping;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Temporal joins by rowtime: the versions of the right row, of which those with another kind than
 * an addition are deletions, and the left rows that wait, in the order of their numbers.
 */
final class TemporalJoinMapping extends FlinkMapping {
  private static final String RIGHT = "right";
  private static final String LEFT = "left";
  private static final Comparator<FlinkEntry> ORDER =
      Comparator.comparingLong(entry -> entry.userKey().longValue());

  private final int leftTime;

  TemporalJoinMapping(Target target) {
    super(target);
    leftTime = target.spec().column("leftTime");
  }

  @Override
  public Tree of(FlinkKey key) {
    List<FlinkEntry> rights = new ArrayList<>(key.all(RIGHT));
    List<FlinkEntry> lefts = new ArrayList<>(key.all(LEFT));
    if (rights.isEmpty() && lefts.isEmpty()) return null;
    rights.sort(ORDER);
    lefts.sort(ORDER);
    List<Tree> versions = new ArrayList<>();
    for (FlinkEntry entry : rights) {
      long time = entry.userKey().longValue();
      Tree version = new Tree();
      version.put("time", time);
      version.put("due", time);
      version.put(
          "row", RowKinds.isAdd(entry.kindCode()) ? target.row(entry.value(), 1, time) : null);
      versions.add(version);
    }
    Waiting waiting = new Waiting();
    for (FlinkEntry entry : lefts) {
      long time = FlinkValues.millis(entry.value().path(leftTime));
      waiting.add(time, entry.kindCode(), target.row(entry.value(), 0, time));
    }
    Tree right = new Tree();
    right.put("versions", versions);
    Tree tree = idle(key, CLEANUP, earlier(waiting.firstDue(), nextForgetting(versions)));
    tree.put("right", right);
    tree.put("left", waiting.tree());
    return tree;
  }

  /** The watermark at which the oldest version can be dropped. */
  private static Long nextForgetting(List<Tree> versions) {
    int next = !versions.isEmpty() && versions.get(0).get("row") == null ? 0 : 1;
    return next < versions.size() ? (Long) versions.get(next).get("time") : null;
  }

  private static Long earlier(Long a, Long b) {
    return a == null || b != null && b < a ? b : a;
  }

  /** Temporal joins by processing time: the current right row. */
  static final class Proctime extends FlinkMapping {
    Proctime(Target target) {
      super(target);
    }

    @Override
    public Tree of(FlinkKey key) {
      FlinkEntry entry = key.only(RIGHT);
      if (entry == null) return null;
      Tree tree = idle(key, CLEANUP, null);
      tree.put("row", target.row(entry.value(), 1, target.written()));
      return tree;
    }
  }
}
