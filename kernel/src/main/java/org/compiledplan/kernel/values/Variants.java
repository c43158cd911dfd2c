package org.compiledplan.kernel.values;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantBuilder;
import org.apache.spark.types.variant.VariantUtil.Type;

/**
 * Values of type VARIANT in Spark's encoding, which is Flink's: the length of the metadata as a
 * 32-bit number, the metadata, the value. Variants are equal if their bytes are, as in Flink.
 */
public final class Variants {
  private Variants() {}

  public static Variant read(byte[] bytes) {
    int start = Integer.BYTES + ByteBuffer.wrap(bytes).getInt();
    return new Variant(
        Arrays.copyOfRange(bytes, start, bytes.length),
        Arrays.copyOfRange(bytes, Integer.BYTES, start));
  }

  /** Returns the bytes of a variant, null for null. */
  public static byte[] write(Variant variant) {
    if (variant == null) return null;
    byte[] metadata = variant.getMetadata();
    byte[] value = variant.getValue();
    return ByteBuffer.allocate(Integer.BYTES + metadata.length + value.length)
        .putInt(metadata.length)
        .put(metadata)
        .put(value)
        .array();
  }

  /** Parses JSON. With {@code lastKey} the last of equal keys counts; else they are an error. */
  public static byte[] parse(String json, boolean lastKey) throws IOException {
    return write(VariantBuilder.parseJson(json, lastKey));
  }

  /** Returns the variant as JSON without white space. */
  public static String text(byte[] bytes) {
    return read(bytes).toJson(ZoneOffset.UTC);
  }

  /** Returns the field of an object, null if it is absent. */
  public static byte[] field(byte[] bytes, String name) {
    Variant variant = read(bytes);
    if (variant.getType() != Type.OBJECT) {
      throw new IllegalArgumentException(
          "a VARIANT has the field '"
              + name
              + "' only if it is an object, and it is "
              + text(bytes));
    }
    return write(variant.getFieldByKey(name));
  }

  /** Returns the element of an array at a position from 1, null if it is absent. */
  public static byte[] element(byte[] bytes, int position) {
    Variant variant = read(bytes);
    if (variant.getType() != Type.ARRAY) {
      throw new IllegalArgumentException(
          "a VARIANT has an element "
              + position
              + " only if it is an array, and it is "
              + text(bytes));
    }
    return write(variant.getElementAtIndex(position - 1));
  }
}
