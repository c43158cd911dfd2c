package org.compiledplan.kernel.formats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;

/** The format `json`: an object a line. */
public final class JsonDecoder extends Decoder {
    private static final long serialVersionUID = 1L;

    static final JsonFactory FACTORY =
            new JsonFactoryBuilder().enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS).build();

    private final String shape;
    private final boolean lenient;
    private final boolean failOnMissing;
    private final String timestamps;
    private transient JsonValues.Reader reader;

    JsonDecoder(String table, String shape, Map<String, String> options) {
        super(table, Boolean.parseBoolean(options.get("ignore-parse-errors")));
        this.shape = shape;
        this.lenient = Boolean.parseBoolean(options.get("ignore-parse-errors"));
        this.failOnMissing = Boolean.parseBoolean(options.get("fail-on-missing-field"));
        this.timestamps = options.getOrDefault("timestamp-format.standard", "SQL");
    }

    @Override
    protected Object decode(UTF8String line) throws Exception {
        if (reader == null) {
            reader = new JsonValues(lenient, failOnMissing, new TimeTexts(timestamps)).row(Shape.parse(shape));
        }
        byte[] bytes = line.getBytes();
        try (JsonParser parser = FACTORY.createParser(bytes, 0, bytes.length)) {
            return parser.nextToken() == null ? null : reader.read(parser);
        }
    }
}
