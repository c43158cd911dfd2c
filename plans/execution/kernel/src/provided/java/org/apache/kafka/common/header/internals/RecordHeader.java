package org.apache.kafka.common.header.internals;

import org.apache.kafka.common.header.Header;

public class RecordHeader implements Header {
  public RecordHeader(String key, byte[] value) {}
}
