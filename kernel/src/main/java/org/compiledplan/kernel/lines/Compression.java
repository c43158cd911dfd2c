package org.compiledplan.kernel.lines;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.apache.commons.io.FilenameUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;

/** Decompression of a file by its extension: Flink's, and those of Hadoop's codecs. */
@FunctionalInterface
interface Compression {
  InputStream open(InputStream file) throws IOException;

  /** The compression of a file; null for none. */
  static Compression of(Path path, Configuration conf) {
    CompressionCodecFactory codecs = new CompressionCodecFactory(conf);
    return switch (FilenameUtils.getExtension(path.getName())) {
      case "gzip" -> hadoop(codecs.getCodecByName("gzip"));
      case "xz" -> Compression::xz;
      // Hadoop's codec needs a native library.
      case "zst" -> ZstdInputStreamNoFinalizer::new;
      default -> hadoop(codecs.getCodec(path));
    };
  }

  private static Compression hadoop(CompressionCodec codec) {
    return codec == null ? null : codec::createInputStream;
  }

  private static InputStream xz(InputStream file) throws IOException {
    return XZCompressorInputStream.builder()
        .setInputStream(file)
        .setDecompressConcatenated(true)
        .get();
  }
}
