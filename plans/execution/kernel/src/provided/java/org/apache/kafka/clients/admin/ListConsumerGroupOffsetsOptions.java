package org.apache.kafka.clients.admin;

public class ListConsumerGroupOffsetsOptions {
  public native ListConsumerGroupOffsetsOptions requireStable(boolean stable);
}
