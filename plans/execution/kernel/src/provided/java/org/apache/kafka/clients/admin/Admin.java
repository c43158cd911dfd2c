package org.apache.kafka.clients.admin;

import java.time.Duration;
import java.util.Properties;

public interface Admin {
  static Admin create(Properties settings) {
    throw new UnsupportedOperationException();
  }

  ListConsumerGroupOffsetsResult listConsumerGroupOffsets(
      String group, ListConsumerGroupOffsetsOptions options);

  void close(Duration atMost);
}
