package org.compiledplan.kernel.formats;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/** The formats `json`, a row a line, and `debezium-json`, an event a line. */
public final class JsonEncoder extends Encoder {
    private static final long serialVersionUID = 1L;
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final byte UPDATE_BEFORE = 1;
    private static final byte DELETE = 3;

    private final String shape;
    private final HashMap<String, String> options;
    private final boolean events;
    private transient JsonWriters.RowWriter writer;
    private transient ByteArrayOutputStream buffer;

    /** @param events whether rows are wrapped as Debezium's events; else rows must be inserts */
    JsonEncoder(String table, String shape, Map<String, String> options, boolean events) {
        super(table);
        this.shape = shape;
        this.options = new HashMap<>(options);
        this.events = events;
    }

    @Override
    protected UTF8String encode(byte kind, InternalRow row) throws IOException {
        if (writer == null) {
            writer = new JsonWriters(options).row(Shape.parse(shape));
            buffer = new ByteArrayOutputStream(256);
        }
        buffer.reset();
        try (JsonGenerator out = FACTORY.createGenerator(buffer, JsonEncoding.UTF8)) {
            if (events) {
                event(out, kind == UPDATE_BEFORE || kind == DELETE, row);
            } else {
                writer.write(out, row);
            }
        }
        return UTF8String.fromBytes(buffer.toByteArray());
    }

    private void event(JsonGenerator out, boolean gone, InternalRow row) throws IOException {
        out.writeStartObject();
        out.writeFieldName("before");
        side(out, gone ? row : null);
        out.writeFieldName("after");
        side(out, gone ? null : row);
        out.writeStringField("op", gone ? "d" : "c");
        out.writeEndObject();
    }

    private void side(JsonGenerator out, InternalRow row) throws IOException {
        if (row == null) {
            out.writeNull();
        } else {
            writer.write(out, row);
        }
    }
}
