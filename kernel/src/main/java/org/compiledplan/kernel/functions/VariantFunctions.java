package org.compiledplan.kernel.functions;

import java.io.IOException;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.unsafe.types.VariantVal;
import org.compiledplan.kernel.values.Variants;

/** Functions on variants, which are passed as their bytes. */
final class VariantFunctions {
  private VariantFunctions() {}

  static void register() {
    Registry.strict("PARSE_JSON", a -> Variants.parse((String) a[0], (Boolean) a[1]));
    Registry.strict("TRY_PARSE_JSON", VariantFunctions::tryParse);
    Registry.strict("VARIANT_FIELD", a -> Variants.field((byte[]) a[0], (String) a[1]));
    Registry.strict("VARIANT_ELEMENT", a -> Variants.element((byte[]) a[0], (Integer) a[1]));
    Registry.strict("VARIANT_TEXT", a -> Variants.text((byte[]) a[0]));
    Registry.strict("VARIANT_VALUE", a -> value(Variants.read((byte[]) a[0])));
  }

  private static byte[] tryParse(Object[] a) {
    try {
      return Variants.parse((String) a[0], (Boolean) a[1]);
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  /** The value as Spark's class, by which the JSON functions recognize it. */
  private static VariantVal value(Variant variant) {
    return new VariantVal(variant.getValue(), variant.getMetadata());
  }
}
