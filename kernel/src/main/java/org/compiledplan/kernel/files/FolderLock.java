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
 * A lock on a local file, held by the process that writes the checkpoint: this one. The operating
 * system releases it when the process ends, however it ends.
 *
 * <p>Closing a file anywhere releases the process's lock on it, so a locked file is never opened a
 * second time here.
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
   * Acquires the lock on a file, which is created if it is missing.
   *
   * @return null if this or another process holds the lock
   * @throws IOException if the file system has no locks, or the file cannot be created
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
          // Another class loader of this process holds the lock.
        }
        if (lock == null) {
          channel.close();
          return null;
        }
        // The previous holder may have removed the file meanwhile; then the lock is on a deleted
        // file.
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
   * Releases the lock.
   *
   * @param remove true to delete the file as well
   */
  public void release(boolean remove) throws IOException {
    synchronized (HELD) {
      if (remove) {
        Files.deleteIfExists(path);
      } else {
        // The owner's information in the file is no longer valid.
        channel.truncate(0);
      }
      channel.close();
      HELD.remove(path);
    }
  }
}
