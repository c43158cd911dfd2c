package org.apache.kafka.clients.consumer;

public class ConsumerGroupMetadata {
  public ConsumerGroupMetadata(String group) {}
}
