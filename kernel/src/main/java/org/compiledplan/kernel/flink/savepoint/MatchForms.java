package org.compiledplan.kernel.flink.savepoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.DeweyNumber;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.NFAStateSerializer;
import org.apache.flink.cep.nfa.sharedbuffer.EventId;
import org.apache.flink.cep.nfa.sharedbuffer.Lockable;
import org.apache.flink.cep.nfa.sharedbuffer.NodeId;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferEdge;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNode;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNodeSerializer;

/**
 * Forms of MATCH_RECOGNIZE's state.
 *
 * <ul>
 *   <li>an event id: {@code [number, timestamp]}
 *   <li>a node id: {@code [event id, page]}
 *   <li>a Dewey number: the list of its digits
 *   <li>a computation: {@code [state name, Dewey number, start time, previous time, start event id,
 *       previous node id]}
 *   <li>the open and the completed matches: {@code [[computation...], [computation...]]}
 *   <li>a node of the shared buffer: its edges, {@code [[node id, Dewey number], locks]} each
 *   <li>an event: {@code [row, locks]}
 * </ul>
 */
final class MatchForms {
  private static final Form NUMBER =
      Forms.scalar("LONG", (value, json) -> json.writeNumber(((Number) value).longValue()));
  private static final Form TEXT =
      Forms.scalar("STRING", (value, json) -> json.writeString((String) value));
  private static final Form DIGITS = Forms.list(NUMBER, value -> digits((DeweyNumber) value));
  private static final Form EVENT =
      tuple(
          List.of(NUMBER, NUMBER),
          value -> ((EventId) value).getId(),
          value -> ((EventId) value).getTimestamp());
  private static final Form NODE =
      tuple(
          List.of(EVENT, TEXT),
          value -> ((NodeId) value).getEventId(),
          value -> ((NodeId) value).getPageName());
  private static final Form COMPUTATION =
      tuple(
          List.of(TEXT, DIGITS, NUMBER, NUMBER, EVENT, NODE),
          value -> ((ComputationState) value).getCurrentStateName(),
          value -> ((ComputationState) value).getVersion(),
          value -> ((ComputationState) value).getStartTimestamp(),
          value -> ((ComputationState) value).getPreviousTimestamp(),
          value -> ((ComputationState) value).getStartEventID(),
          value -> ((ComputationState) value).getPreviousBufferEntry());
  private static final Form MATCHES =
      tuple(
          List.of(Forms.list(COMPUTATION), Forms.list(COMPUTATION)),
          value -> ((NFAState) value).getPartialMatches(),
          value -> ((NFAState) value).getCompletedMatches());
  private static final Form EDGE =
      tuple(
          List.of(NODE, DIGITS),
          value -> PrivateFields.get(((SharedBufferEdge) value), "target"),
          value -> PrivateFields.get(((SharedBufferEdge) value), "deweyNumber"));
  private static final Form EDGES =
      Forms.list(lockable(EDGE), value -> ((SharedBufferNode) value).getEdges());

  private MatchForms() {}

  /** The form of a serializer of MATCH_RECOGNIZE; null for any other. */
  static Form of(TypeSerializer<?> serializer) {
    if (serializer instanceof NFAStateSerializer) {
      return MATCHES;
    }
    if (serializer instanceof EventId.EventIdSerializer) {
      return EVENT;
    }
    if (serializer instanceof NodeId.NodeIdSerializer) {
      return NODE;
    }
    if (serializer instanceof SharedBufferNodeSerializer) {
      return EDGES;
    }
    if (serializer instanceof Lockable.LockableTypeSerializer<?>) {
      return lockable(
          Forms.of((TypeSerializer<?>) PrivateFields.get(serializer, "elementSerializer")));
    }
    return null;
  }

  private static Form lockable(Form element) {
    return tuple(
        List.of(element, NUMBER),
        value -> ((Lockable<?>) value).getElement(),
        value -> PrivateFields.get(value, "refCounter"));
  }

  @SafeVarargs
  private static Form tuple(List<Form> fields, Function<Object, Object>... getters) {
    return Forms.tuple(fields, (value, at) -> getters[at].apply(value));
  }

  private static List<Integer> digits(DeweyNumber number) {
    List<Integer> digits = new ArrayList<>();
    Arrays.stream(number.toString().split("\\.")).map(Integer::valueOf).forEach(digits::add);
    return digits;
  }
}
