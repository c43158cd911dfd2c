package org.compiledplan.kernel.kafka.clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.kafka.KafkaException;

/** Converts rows of key, value, topic, and optionally headers and partition, into messages. */
final class Messages {
  private final JsonNode spec;
  private int headers = -1;
  private int partition = -1;
  private boolean first = true;

  Messages(JsonNode spec) {
    this.spec = spec;
  }

  ProducerRecord<byte[], byte[]> of(Row row) {
    if (first) {
      headers = position(row, "headers");
      partition = position(row, "partition");
      first = false;
    }
    if (row.isNullAt(2))
      throw new KafkaException("a row of table " + spec.path("table").asText() + " names no topic");
    return new ProducerRecord<>(
        row.getString(2),
        partition < 0 ? null : (Integer) row.get(partition),
        (byte[]) row.get(0),
        (byte[]) row.get(1),
        headers < 0 ? List.of() : headers(row.getList(headers)));
  }

  private static int position(Row row, String name) {
    return List.of(row.schema().fieldNames()).indexOf(name);
  }

  private static List<Header> headers(List<Row> pairs) {
    List<Header> headers = new ArrayList<>();
    if (pairs != null)
      for (Row pair : pairs) headers.add(new RecordHeader(pair.getString(0), (byte[]) pair.get(1)));
    return headers;
  }
}
