package dev.holdfast.lock.test.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/** Finds the Redis binary in {@code org.signal:embedded-redis} or, if that is missing, on the PATH. */
final class EmbeddedRedisBinary {

    private static final String CARRIER = "redis/embedded/RedisServer.class";

    private EmbeddedRedisBinary() {}

    static String path() throws IOException {
        String carried = carried();
        if (carried != null) {
            return carried;
        }
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("There is no Redis for " + machine()
                        + ": add org.signal:embedded-redis to the test class path, or put redis-server on the PATH"));
    }

    private static @Nullable String carried() throws IOException {
        URL carrier = EmbeddedRedisBinary.class.getClassLoader().getResource(CARRIER);
        if (carrier == null || !carrier.getProtocol().equals("jar")) {
            return null;
        }
        String location = carrier.getPath();
        Path jar = Path.of(URI.create(location.substring(0, location.indexOf("!/"))));
        try (JarFile content = new JarFile(jar.toFile())) {
            JarEntry entry = content.stream()
                    .filter(file -> file.getName().startsWith("redis-server-"))
                    .filter(file -> file.getName().endsWith(machine()))
                    .findFirst()
                    .orElse(null);
            return entry == null ? null : unpacked(content, entry);
        }
    }

    /** Unpacks the binary for this JVM alone, so that no other process can have changed it. */
    private static String unpacked(JarFile content, JarEntry entry) throws IOException {
        Path binary = Files.createTempFile("holdfast-", "-redis-server");
        try (InputStream in = content.getInputStream(entry)) {
            Files.copy(in, binary, StandardCopyOption.REPLACE_EXISTING);
        }
        if (!binary.toFile().setExecutable(true)) {
            throw new IOException("Cannot make " + binary + " executable");
        }
        binary.toFile().deleteOnExit();
        return binary.toString();
    }

    private static String machine() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.contains("mac") ? "darwin" : system.split(" ", 2)[0]) + "-"
                + switch (processor) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    default -> processor;
                };
    }
}
