package org.compiledplan.kernel.harness;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.values.Values;

/** A condition of the harness: two columns of left ++ right compared, false if one is null. */
final class Comparison implements RowPredicate {
  private static final Pattern FORM = Pattern.compile("(\\d+)([<=>])(\\d+)");

  private final int first;
  private final int second;
  private final char operator;

  Comparison(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) throw new IllegalArgumentException("no condition: " + text);
    first = Integer.parseInt(matcher.group(1));
    operator = matcher.group(2).charAt(0);
    second = Integer.parseInt(matcher.group(3));
  }

  @Override
  public boolean test(Object[] left, Object[] right) {
    Object a = first < left.length ? left[first] : right[first - left.length];
    Object b = second < left.length ? left[second] : right[second - left.length];
    if (a == null || b == null) return false;
    int order = Values.compare(a, b);
    return operator == '=' ? order == 0 : operator == '<' ? order < 0 : order > 0;
  }
}
