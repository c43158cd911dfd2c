package org.compiledplan.kernel.operators.match;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Rowtime;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.operators.base.WaitingRows;
import org.compiledplan.kernel.operators.base.WaitingRows.Waiting;
import org.compiledplan.kernel.operators.match.PartialMatch.Event;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;

/**
 * MATCH_RECOGNIZE over a linear pattern. Follows Flink's CepOperator: in event time rows wait for
 * the watermark, rows at or behind it are dropped, and waiting rows are processed by time and the
 * further order columns; in processing time rows are processed in order of arrival.
 */
public final class MatchRecognize extends KeyedOperator<MatchRecognize.Matches> {
  private final Columns columns;
  private final boolean eventTime;
  private final int time;
  private final int[] partition;
  private final SortOrder order;
  private final Matcher matcher;
  private final MatchValues measures;

  public MatchRecognize(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    define(spec, StateKind.MATCH, Matches::new, Work::new);
    eventTime = spec.eventTime();
    time = spec.column("time");
    partition = spec.columns("partition");
    JsonNode orderBy = spec.get("orderBy");
    order = orderBy.isEmpty() ? null : new SortOrder(orderBy);
    matcher = new Matcher(spec);
    measures = new MatchValues(spec.get("measures"), spec);
  }

  @Override
  public void fire(Matches stored, BatchContext context, Out out) {
    if (eventTime) {
      List<Waiting> due = stored.waiting.take(context.watermark());
      for (int from = 0, to; from < due.size(); from = to) {
        long now = due.get(from).time();
        List<Object[]> rows = new ArrayList<>();
        for (to = from; to < due.size() && due.get(to).time() == now; to++)
          rows.add(due.get(to).row());
        if (order != null) rows.sort(order);
        out.at(now);
        take(stored, now, rows, out);
      }
      out.at(context.watermark());
    }
    long now = eventTime ? context.watermark() : context.processingTime();
    matcher.advance(stored.open, now, match -> emit(match, out));
  }

  private void take(Matches stored, long now, List<Object[]> rows, Out out) {
    matcher.advance(stored.open, now, match -> emit(match, out));
    for (Object[] row : rows) {
      out.check();
      matcher.take(stored.open, new Event(stored.count++, now, row), match -> emit(match, out));
    }
  }

  private void emit(PartialMatch match, Out out) {
    Object[] row = new Object[partition.length + measures.count()];
    for (int i = 0; i < partition.length; i++) row[i] = match.event.row()[partition[i]];
    measures.put(match, match.event, row, partition.length);
    out.emit(RowKinds.INSERT, row);
  }

  private final class Work extends KeyWork {
    private final long now;
    private final List<Object[]> buffered = new ArrayList<>();

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      now = context.processingTime();
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      row.requireInsert("a pattern takes insert-only input");
      if (eventTime) {
        long at = Rowtime.of(row.values(), time);
        if (at <= row.watermark()) return Outcome.LATE;
        current().waiting.add(at, row.watermark(), row.kind(), row.values());
      } else if (order == null) {
        take(current(), now, Collections.singletonList(row.values()), out);
      } else {
        buffered.add(row.values());
      }
      changed = true;
      return eventTime ? Outcome.HELD : Outcome.APPLIED;
    }

    @Override
    public void close(Out out) {
      if (!buffered.isEmpty()) {
        buffered.sort(order);
        take(current(), now, buffered, out);
      }
      super.close(out);
    }
  }

  /** A row of open matches. */
  private final class EventRow implements Stored {
    private long number;
    private long time;
    private Object[] row;

    @Override
    public void fields(Fields io) {
      number = io.count("number", number);
      time = io.time("time", time);
      row = io.row("row", columns, row);
    }
  }

  /** A match: its state in the pattern and its rows. */
  private static final class Path implements Stored {
    private long state;
    private final List<Step> steps = new ArrayList<>();

    @Override
    public void fields(Fields io) {
      state = io.count("state", state);
      io.list("rows", steps, Step::new);
    }
  }

  /** A row of a match: its position among the rows of open matches, and its variable. */
  private static final class Step implements Stored {
    private long place;
    private long variable;

    @Override
    public void fields(Fields io) {
      place = io.count("place", place);
      variable = io.count("variable", variable);
    }
  }

  /** Number of rows so far, open matches, and waiting rows. */
  final class Matches implements KeyState {
    private final Matcher.Open open = new Matcher.Open();
    private final WaitingRows waiting = new WaitingRows(columns);
    private long count;

    @Override
    public void fields(Fields io) {
      count = io.count("count", count);
      List<EventRow> rows = new ArrayList<>();
      Map<Long, Integer> places = new HashMap<>();
      for (Event event : events().values()) {
        EventRow row = new EventRow();
        row.number = event.number();
        row.time = event.time();
        row.row = event.row();
        places.put(event.number(), rows.size());
        rows.add(row);
      }
      io.list("rows", rows, EventRow::new);
      Event[] events = new Event[rows.size()];
      for (int i = 0; i < events.length; i++) {
        EventRow row = rows.get(i);
        events[i] = new Event(row.number, row.time, row.row);
      }
      io.list(
          "partial",
          paths(open.partial, places),
          Path::new,
          path -> add(path, events, open.partial));
      io.list(
          "complete",
          paths(open.complete, places),
          Path::new,
          path -> add(path, events, open.complete));
      io.part("waiting", waiting);
    }

    private void add(Path path, Event[] events, List<PartialMatch> matches) {
      PartialMatch match = new PartialMatch((int) path.state);
      for (Step step : path.steps) {
        match =
            new PartialMatch(
                match, events[(int) step.place], (int) step.variable, (int) path.state);
      }
      matches.add(match);
    }

    private List<Path> paths(List<PartialMatch> matches, Map<Long, Integer> places) {
      List<Path> paths = new ArrayList<>();
      for (PartialMatch match : matches) {
        Path path = new Path();
        path.state = match.state;
        for (PartialMatch at = match; at.event != null; at = at.before) {
          Step step = new Step();
          step.place = places.get(at.event.number());
          step.variable = at.variable;
          path.steps.add(step);
        }
        Collections.reverse(path.steps);
        paths.add(path);
      }
      return paths;
    }

    /** Rows of open matches by their numbers. */
    private TreeMap<Long, Event> events() {
      TreeMap<Long, Event> events = new TreeMap<>();
      for (PartialMatch match : open.partial) note(match, events);
      for (PartialMatch match : open.complete) note(match, events);
      return events;
    }

    private void note(PartialMatch match, Map<Long, Event> events) {
      for (PartialMatch at = match; at.event != null; at = at.before) {
        events.put(at.event.number(), at.event);
      }
    }

    @Override
    public int entries() {
      return events().size() + waiting.count();
    }

    @Override
    public void entryTimes(EntryTimes to) {
      for (Event event : events().values()) to.entry(0, EntryTimes.NONE, event.time());
      waiting.entryTimes(0, to);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return TimeMath.earlier(waiting.firstDue(), matcher.expiry(open));
    }
  }
}
