package org.compiledplan.kernel.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * A lock on a local file, held by the process that writes the checkpoint: this one. The system ends
 * it with the process, however that ends.
 *
 * <p>A process holds a file's lock until it closes the file anywhere, so a file that is held is
 * never opened a second time here.
 */
public final class FolderLock {
  private static final Set<Path> HELD = new HashSet<>();

  private final Path path;
  private final FileChannel channel;

  private FolderLock(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Takes the lock on a file, which is made where it is not there.
   *
   * @return null when somebody holds it, in this process or another one
   * @throws IOException the file system knows no locks, or the file cannot be made
   */
  public static FolderLock take(String file) throws IOException {
    synchronized (HELD) {
      Path path = Path.of(file).toAbsolutePath().normalize();
      while (!HELD.contains(path)) {
        FileChannel channel =
            FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        Object opened = identity(path);
        FileLock lock = null;
        try {
          lock = channel.tryLock();
        } catch (OverlappingFileLockException fault) {
          // Another class loader of this process holds it.
        }
        if (lock == null) {
          channel.close();
          return null;
        }
        // Whoever held it may have removed the file meanwhile; then the lock is on nothing.
        if (opened != null && opened.equals(identity(path))) {
          HELD.add(path);
          return new FolderLock(path, channel);
        }
        channel.close();
      }
      return null;
    }
  }

  private static Object identity(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException gone) {
      return null;
    }
  }

  /**
   * Gives the lock back.
   *
   * @param remove whether the file is to go, too
   */
  public void release(boolean remove) throws IOException {
    synchronized (HELD) {
      if (remove) {
        Files.deleteIfExists(path);
      } else {
        // What the owner wrote about itself holds no longer.
        channel.truncate(0);
      }
      channel.close();
      HELD.remove(path);
    }
  }
}
