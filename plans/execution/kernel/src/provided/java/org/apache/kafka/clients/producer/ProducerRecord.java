package org.apache.kafka.clients.producer;

import org.apache.kafka.common.header.Header;

public class ProducerRecord<K, V> {
  public ProducerRecord(
      String topic, Integer partition, K key, V value, Iterable<Header> headers) {}
}
