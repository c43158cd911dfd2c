package org.compiledplan.kernel.functions;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Arithmetic and rounding where Spark's own differs from Flink's. */
final class Numbers {
  private static final MathContext CONTEXT = new MathContext(38, RoundingMode.HALF_UP);

  private Numbers() {}

  static void register() {
    Registry.strictWith(
        "DECIMAL_ARITHMETIC",
        options -> {
          String sign = options[0];
          int precision = Integer.parseInt(options[1]);
          int scale = Integer.parseInt(options[2]);
          return a ->
              Casts.fit(apply(sign, (BigDecimal) a[0], (BigDecimal) a[1]), precision, scale);
        });
    Registry.strict("DOUBLE_BITS", a -> Double.doubleToLongBits((Double) a[0]));
    Registry.strict("NEGATE_DECIMAL", a -> ((BigDecimal) a[0]).negate());
    Registry.strict("EXP", a -> Math.exp((Double) a[0]));
    Registry.strict("ATAN2", a -> Math.atan2((Double) a[0], (Double) a[1]));
    Registry.strict("UNHEX", a -> unhex((String) a[0]));
    Registry.strict("DIVIDE_WHOLE", a -> (Long) a[0] / (Long) a[1]);
    Registry.strict("MOD_WHOLE", a -> (Long) a[0] % (Long) a[1]);
    Registry.strict("DIVIDE_DOUBLE", a -> (Double) a[0] / (Double) a[1]);
    Registry.strict("MOD_DOUBLE", a -> (Double) a[0] % (Double) a[1]);
    Registry.strict("CEIL_DOUBLE", a -> Math.ceil((Double) a[0]));
    Registry.strict("FLOOR_DOUBLE", a -> Math.floor((Double) a[0]));
    Registry.strict("ROUND_DOUBLE", a -> round((Double) a[0], (Integer) a[1]));
    Registry.strict("ROUND_DECIMAL", a -> roundDecimal((BigDecimal) a[0], (Integer) a[1]));
    Registry.strict("TRUNCATE_DOUBLE", a -> truncate((Double) a[0], (Integer) a[1]));
    Registry.strict("TRUNCATE_FLOAT", a -> truncateFloat((Float) a[0], (Integer) a[1]));
    Registry.strict("TRUNCATE_DECIMAL", a -> truncateDecimal((BigDecimal) a[0], (Integer) a[1]));
    Registry.strict("SQRT", a -> Math.sqrt((Double) a[0]));
    Registry.strict("LN", a -> Math.log((Double) a[0]));
    Registry.strict("LOG10", a -> Math.log10((Double) a[0]));
    Registry.strict("LOG2", a -> Math.log((Double) a[0]) / Math.log(2));
    Registry.strict("LOG", a -> Math.log((Double) a[1]) / Math.log((Double) a[0]));
    Registry.strict("POWER", a -> Math.pow((Double) a[0], (Double) a[1]));
    Registry.strict("COT", a -> 1.0 / Math.tan((Double) a[0]));
  }

  /**
   * With an odd number of digits the first is replaced by a zero byte; other characters yield null.
   */
  private static byte[] unhex(String text) {
    byte[] result = new byte[(text.length() + 1) / 2];
    int odd = text.length() % 2;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) < 128 ? Character.digit(text.charAt(i), 16) : -1;
      if (digit < 0) return null;
      if (odd == 0 || i > 0) {
        int at = (i + odd) / 2;
        result[at] = (byte) (result[at] << 4 | digit);
      }
    }
    return result;
  }

  private static BigDecimal apply(String sign, BigDecimal a, BigDecimal b) {
    return switch (sign) {
      case "+" -> a.add(b);
      case "-" -> a.subtract(b);
      case "*" -> a.multiply(b);
      case "/" -> a.divide(nonZero(b), CONTEXT);
      case "%" -> a.remainder(nonZero(b), CONTEXT);
      default -> throw new IllegalArgumentException(sign);
    };
  }

  private static BigDecimal nonZero(BigDecimal divisor) {
    if (divisor.signum() == 0) throw new ArithmeticException("division by zero");
    return divisor;
  }

  private static Double round(double value, int digits) {
    return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP).doubleValue();
  }

  private static BigDecimal roundDecimal(BigDecimal value, int digits) {
    return value.setScale(Math.min(digits, value.scale()), RoundingMode.HALF_UP);
  }

  private static Double truncate(double value, int digits) {
    return BigDecimal.valueOf(value).setScale(digits, RoundingMode.DOWN).doubleValue();
  }

  private static Float truncateFloat(float value, int digits) {
    return new BigDecimal(String.valueOf(value)).setScale(digits, RoundingMode.DOWN).floatValue();
  }

  private static BigDecimal truncateDecimal(BigDecimal value, int digits) {
    return value.setScale(Math.min(digits, value.scale()), RoundingMode.DOWN);
  }
}
