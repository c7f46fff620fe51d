package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;

/**
 * The server binary that the jar {@code org.signal:embedded-redis} carries, unpacked for this user. The jar is a carrier
 * only: its code leaves orphans behind when a JVM is killed.
 */
final class EmbeddedBinary {

    static final String VERSION = "7.0.15";

    private static final Set<PosixFilePermission> MINE_ALONE = PosixFilePermissions.fromString("rwx------");

    private EmbeddedBinary() {}

    /** The name of the resource for this machine, whether or not there is one: {@code redis-server-7.0.15-linux-amd64}. */
    static String name() {
        return "redis-server-" + VERSION + "-" + system() + "-" + architecture();
    }

    /** Unpacks the binary unless an earlier run did, and returns its path. */
    static Path unpacked() throws IOException {
        URL resource = EmbeddedBinary.class.getClassLoader().getResource(name());
        if (resource == null) {
            throw new IOException("there is no '" + name() + "' on the class path (org.signal:embedded-redis has "
                    + "binaries for Linux and macOS)");
        }
        Path binary = folder().resolve(name());
        URLConnection content = resource.openConnection();
        content.setUseCaches(false);
        try (InputStream in = content.getInputStream()) {
            if (!isMine(binary) || Files.size(binary) != content.getContentLengthLong()) {
                unpack(in, binary);
            }
        }
        return binary;
    }

    /** Written beside and moved: another JVM that unpacks at the same moment sees the whole file or none. */
    private static void unpack(InputStream in, Path binary) throws IOException {
        Path draft =
                Files.createTempFile(binary.getParent(), binary.getFileName().toString(), ".part", mine());
        try {
            Files.copy(in, draft, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(draft, MINE_ALONE);
            Files.move(draft, binary, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /** The user's cache; where that is not to be had, a new folder in java.io.tmpdir that no other user can enter. */
    private static Path folder() throws IOException {
        Path cache = cacheHome().resolve("holdfast");
        try {
            Files.createDirectories(cache.getParent());
            if (!Files.exists(cache, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(cache, mine());
            }
            if (isMine(cache) && Files.isWritable(cache)) {
                return cache;
            }
        } catch (IOException | SecurityException noCache) {
            // A home that is read-only or does not exist, as build users have it: the folder below will do.
        }
        Path once = Files.createTempDirectory("holdfast-redis-binary-", mine());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerFolder.delete(once)));
        return once;
    }

    private static Path cacheHome() {
        String xdg = System.getenv("XDG_CACHE_HOME");
        if (xdg != null && Path.of(xdg).isAbsolute()) {
            return Path.of(xdg);
        }
        Path home = Path.of(System.getProperty("user.home"));
        return system().equals("darwin") ? home.resolve("Library/Caches") : home.resolve(".cache");
    }

    /** Whether this user owns the file and nobody else can change it; a link counts as somebody else's. */
    private static boolean isMine(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || Files.isSymbolicLink(path)) {
            return false;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
        return !permissions.contains(PosixFilePermission.GROUP_WRITE)
                && !permissions.contains(PosixFilePermission.OTHERS_WRITE)
                && Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(currentUser());
    }

    /** The owner of what this process creates; {@code user.name} may say anything. */
    private static Object currentUser() throws IOException {
        Path probe = Files.createTempFile("holdfast", null, mine());
        try {
            return Files.getOwner(probe);
        } finally {
            Files.delete(probe);
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> mine() {
        return PosixFilePermissions.asFileAttribute(MINE_ALONE);
    }

    private static String system() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return name.contains("mac") ? "darwin" : name.split(" ", 2)[0];
    }

    private static String architecture() {
        String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return switch (name) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            case "x86", "i386", "i686" -> "386";
            default -> name;
        };
    }
}
