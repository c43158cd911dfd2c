package org.compiledplan.kernel.formats.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/** The format `json`: one object per line. */
public final class JsonDecoder extends Decoder {
  static final JsonFactory FACTORY =
      new JsonFactoryBuilder().enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS).build();

  private final boolean failOnMissing;
  private final String timestamps;
  private final boolean tree;
  private transient JsonValues.Reader reader;
  private transient JsonValues.Reader element;

  public JsonDecoder(String table, String shape, Map<String, String> options) {
    super(table, shape, Boolean.parseBoolean(options.get("ignore-parse-errors")));
    this.failOnMissing = Boolean.parseBoolean(options.get("fail-on-missing-field"));
    this.tree = "false".equals(options.get("decode.json-parser.enabled"));
    this.timestamps = options.getOrDefault("timestamp-format.standard", "SQL");
  }

  @Override
  protected ArrayData decode(UTF8String line) throws Exception {
    if (reader == null) {
      Shape row = row();
      JsonValues values =
          new JsonValues(
              tree, row.hasDecimals(), lenient, failOnMissing, new TimestampTexts(timestamps));
      reader = values.row(row);
      element = values.reader(row);
    }
    byte[] bytes = line.getBytes();
    try (JsonParser parser = FACTORY.createParser(bytes, 0, bytes.length)) {
      JsonToken first = parser.nextToken();
      if (first == null) throw new DataException("a line without JSON");
      return first == JsonToken.START_ARRAY
          ? rows(parser)
          : insert((InternalRow) reader.read(parser));
    }
  }

  private ArrayData rows(JsonParser parser) throws IOException {
    List<InternalRow> rows = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      InternalRow row = (InternalRow) element.read(parser);
      if (row != null) rows.add(row);
      else if (!lenient) throw new DataException("null in an array of rows");
    }
    return inserts(rows);
  }
}
