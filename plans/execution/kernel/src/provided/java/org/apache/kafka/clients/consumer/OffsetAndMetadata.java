package org.apache.kafka.clients.consumer;

public class OffsetAndMetadata {
  public OffsetAndMetadata(long offset, String metadata) {}

  public native long offset();

  public native String metadata();
}
