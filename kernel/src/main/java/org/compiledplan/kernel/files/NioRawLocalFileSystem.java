package org.compiledplan.kernel.files;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's raw local file system; permissions and links use the JDK instead of {@code chmod} and
 * {@code readlink}.
 */
final class NioRawLocalFileSystem extends RawLocalFileSystem {
  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    if (permission.getStickyBit()) {
      super.setPermission(path, permission); // the JDK does not know it
      return;
    }
    var text =
        permission.getUserAction().SYMBOL
            + permission.getGroupAction().SYMBOL
            + permission.getOtherAction().SYMBOL;
    try {
      Files.setPosixFilePermissions(
          pathToFile(path).toPath(), PosixFilePermissions.fromString(text));
    } catch (UnsupportedOperationException notPosix) {
      super.setPermission(path, permission);
    } catch (NoSuchFileException missing) {
      throw (IOException) new FileNotFoundException(path.toString()).initCause(missing);
    }
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return Files.isSymbolicLink(pathToFile(path).toPath())
        ? super.getFileLinkStatus(path)
        : getFileStatus(path);
  }
}
