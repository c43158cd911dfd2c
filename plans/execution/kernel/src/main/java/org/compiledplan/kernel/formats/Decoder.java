package org.compiledplan.kernel.formats;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Turns lines of text into rows. Spark calls `row` or `changes` by name, with its internal values, so that a row costs
 * no conversion.
 */
public abstract class Decoder implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final ArrayData NOTHING = new GenericArrayData(new Object[0]);

    private final String table;
    private final boolean lenient;

    /**
     * @param table the table, for messages
     * @param lenient a line that cannot be read is left out
     */
    protected Decoder(String table, boolean lenient) {
        this.table = table;
        this.lenient = lenient;
    }

    /** The row of a line; null when there is none. */
    public final InternalRow row(UTF8String line) {
        Object found = read(line);
        return found instanceof InternalRow row ? row : null;
    }

    /** The changes of a line: rows of kind, suffix of the path, and the columns. */
    public final ArrayData changes(UTF8String line) {
        Object found = read(line);
        return found instanceof ArrayData changes ? changes : NOTHING;
    }

    private Object read(UTF8String line) {
        if (line == null || line.numBytes() == 0) {
            return null;
        }
        try {
            return decode(line);
        } catch (Exception e) {
            if (lenient) {
                return null;
            }
            throw DataException.reading(table, line, e);
        }
    }

    /** An InternalRow or ArrayData; null for a line without rows. */
    protected abstract Object decode(UTF8String line) throws Exception;

    /** A row of kind, suffix and a row's columns. */
    protected static InternalRow change(byte kind, byte[] suffix, InternalRow row, Object[] metadata) {
        Object[] columns = ((GenericInternalRow) row).values();
        Object[] values = new Object[2 + columns.length + metadata.length];
        values[0] = kind;
        values[1] = suffix;
        System.arraycopy(columns, 0, values, 2, columns.length);
        System.arraycopy(metadata, 0, values, 2 + columns.length, metadata.length);
        return new GenericInternalRow(values);
    }
}
