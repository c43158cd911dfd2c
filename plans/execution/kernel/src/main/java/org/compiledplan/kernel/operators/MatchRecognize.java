package org.compiledplan.kernel.operators;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.operators.PartialMatch.Event;
import org.compiledplan.kernel.operators.WaitingRows.Waiting;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * MATCH_RECOGNIZE over a linear pattern. Follows Flink's CepOperator: in event time rows wait for the watermark,
 * which drops those at or behind it, and are taken by time and the further columns of the order; in processing
 * time they are taken as they come.
 */
final class MatchRecognize implements Operator {
  private static final int VERSION = 1;

  private final ValueType[] types;
  private final boolean eventTime;
  private final int time;
  private final int[] partition;
  private final SortOrder order;
  private final Matcher matcher;
  private final MatchValues measures;

  MatchRecognize(OperatorSpec spec) {
    types = spec.inputs[0];
    eventTime = spec.eventTime();
    time = spec.column("time");
    partition = spec.columns("partition");
    JsonNode orderBy = spec.get("orderBy");
    order = orderBy.isEmpty() ? null : new SortOrder(orderBy);
    matcher = new Matcher(spec);
    measures = new MatchValues(spec.get("measures"), spec);
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Stored stored = new Stored(state.get());
    if (eventTime) {
      List<Waiting> due = stored.waiting.take(context.watermark);
      for (int from = 0, to; from < due.size(); from = to) {
        long now = due.get(from).time;
        List<Object[]> rows = new ArrayList<>();
        for (to = from; to < due.size() && due.get(to).time == now; to++) rows.add(due.get(to).row(types));
        if (order != null) rows.sort(order);
        out.at(now);
        take(stored, now, rows, out);
      }
      out.at(context.watermark);
    }
    long now = eventTime ? context.watermark : context.processingTime;
    matcher.advance(stored.open, now, match -> emit(match, out));
    stored.save(state);
  }

  private void take(Stored stored, long now, List<Object[]> rows, Out out) {
    matcher.advance(stored.open, now, match -> emit(match, out));
    for (Object[] row : rows) {
      out.check();
      matcher.take(stored.open, new Event(stored.count++, now, row), match -> emit(match, out));
    }
  }

  private void emit(PartialMatch match, Out out) {
    Object[] row = new Object[partition.length + measures.count()];
    for (int i = 0; i < partition.length; i++) row[i] = match.event.row[partition[i]];
    measures.put(match, match.event, row, partition.length);
    out.emit(RowKinds.INSERT, row);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final long now;
    private Stored stored;
    private final List<Object[]> held = new ArrayList<>();

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      now = context.processingTime;
    }

    @Override
    public void process(InputRow row, Out out) {
      if (row.kind != RowKinds.INSERT) {
        throw new IllegalStateException("a pattern takes insert-only input, it got an update");
      }
      if (eventTime) {
        long at = Rowtime.of(row.values, time);
        if (at <= row.watermark) return;
        load().waiting.add(at, row.watermark, row.kind, row.values);
      } else if (order == null) {
        take(load(), now, Collections.singletonList(row.values), out);
      } else {
        load();
        held.add(row.values);
      }
    }

    private Stored load() {
      if (stored == null) stored = new Stored(state.get());
      return stored;
    }

    @Override
    public void close(Out out) {
      if (stored == null) return;
      if (!held.isEmpty()) {
        held.sort(order);
        take(stored, now, held, out);
      }
      stored.save(state);
    }
  }

  /**
   * A key's state: a version byte, the entries it counts as, how many rows have come, the rows of open matches,
   * the matches as lists of places among them, the waiting rows.
   */
  private final class Stored {
    private final Matcher.Open open = new Matcher.Open();
    private final WaitingRows waiting;
    private final int before;
    private long count;

    Stored(byte[] bytes) {
      if (bytes == null) {
        waiting = new WaitingRows();
        before = 0;
        return;
      }
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      before = in.readVarInt();
      count = in.readVarLong();
      Event[] events = new Event[in.readVarInt()];
      for (int i = 0; i < events.length; i++) {
        long number = in.readVarLong();
        long at = in.readSigned();
        events[i] = new Event(number, at, ValueCodec.readRow(in, types));
      }
      read(in, events, open.partial);
      read(in, events, open.complete);
      waiting = new WaitingRows(in, bytes.length);
    }

    private void read(ByteReader in, Event[] events, List<PartialMatch> matches) {
      for (int left = in.readVarInt(); left > 0; left--) {
        int state = in.readVarInt();
        PartialMatch match = new PartialMatch(state);
        for (int rows = in.readVarInt(); rows > 0; rows--) {
          Event event = events[in.readVarInt()];
          match = new PartialMatch(match, event, in.readVarInt(), state);
        }
        matches.add(match);
      }
    }

    void save(KeyedState state) {
      TreeMap<Long, Event> events = new TreeMap<>();
      for (PartialMatch match : open.partial) note(match, events);
      for (PartialMatch match : open.complete) note(match, events);
      int entries = events.size() + waiting.count();
      if (entries == 0) {
        if (before > 0) state.remove(-before);
        return;
      }
      ByteWriter out = new ByteWriter(256);
      out.writeByte(VERSION);
      out.writeVarLong(entries);
      out.writeVarLong(count);
      out.writeVarLong(events.size());
      Map<Long, Integer> places = new HashMap<>();
      for (Event event : events.values()) {
        places.put(event.number, places.size());
        out.writeVarLong(event.number);
        out.writeSigned(event.time);
        ValueCodec.writeRow(event.row, out);
      }
      write(open.partial, places, out);
      write(open.complete, places, out);
      waiting.write(out);
      state.put(out.toBytes(), Times.earlier(waiting.firstDue(), matcher.expiry(open)), entries - before);
    }

    private void note(PartialMatch match, Map<Long, Event> events) {
      for (PartialMatch at = match; at.event != null; at = at.before) events.put(at.event.number, at.event);
    }

    private void write(List<PartialMatch> matches, Map<Long, Integer> places, ByteWriter out) {
      out.writeVarLong(matches.size());
      for (PartialMatch match : matches) {
        List<PartialMatch> path = new ArrayList<>();
        for (PartialMatch at = match; at.event != null; at = at.before) path.add(at);
        out.writeVarLong(match.state);
        out.writeVarLong(path.size());
        for (int i = path.size() - 1; i >= 0; i--) {
          out.writeVarLong(places.get(path.get(i).event.number));
          out.writeVarLong(path.get(i).variable);
        }
      }
    }
  }
}
