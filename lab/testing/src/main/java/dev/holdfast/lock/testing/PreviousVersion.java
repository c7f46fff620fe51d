package dev.holdfast.lock.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The version of lock-core whose format in Redis the present one must keep. It is a jar that {@code .ci/previous-version} makes: the last release, and
 * before the first release an earlier commit.
 */
public final class PreviousVersion {

    private static final String LIBRARY = "dev.holdfast.lock.";
    private static final String CLASS = ".class";
    private static final Map<String, byte[]> FILES = unpack();
    /** Each implementation's, because to load and compile the library again for each object takes longer than what tests do with it. */
    private static final Map<Class<?>, Loader> LOADERS = new ConcurrentHashMap<>();

    private PreviousVersion() {}

    /**
     * Creates an object that uses the previous version, in a class loader that all objects of the implementation share.
     *
     * @param shared the type that the caller knows it by, which uses no class of the library
     * @param implementation has a public constructor without parameters, and uses only what both versions of the library have
     */
    public static <T> T create(Class<T> shared, Class<? extends T> implementation) {
        try {
            return shared.cast(LOADERS.computeIfAbsent(implementation, type -> new Loader(shared, type))
                    .loadClass(implementation.getName())
                    .getConstructor()
                    .newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a text file of the jar. */
    public static String text(String path) {
        return new String(Objects.requireNonNull(FILES.get(path), path), StandardCharsets.UTF_8);
    }

    private static Map<String, byte[]> unpack() {
        Map<String, byte[]> files = new HashMap<>();
        try (InputStream jar = PreviousVersion.class.getResourceAsStream("previous-version.jar");
                ZipInputStream zip = new ZipInputStream(Objects.requireNonNull(jar))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), zip.readAllBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** Finds the library in the jar, and everything else where the tests do. */
    private static final class Loader extends ClassLoader {

        private final String shared;
        private final String implementation;

        Loader(Class<?> shared, Class<?> implementation) {
            super(implementation.getClassLoader());
            this.shared = shared.getName();
            this.implementation = implementation.getName();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : isOwn(name) ? define(name) : super.loadClass(name, resolve);
            }
        }

        private boolean isOwn(String name) {
            return name.startsWith(LIBRARY) && !name.equals(shared) && !name.startsWith(shared + "$");
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String path = name.replace('.', '/') + CLASS;
            byte[] bytes = name.startsWith(implementation) ? compiledHere(path) : FILES.get(path);
            if (bytes == null) {
                throw new ClassNotFoundException(
                        name + " is not in the previous version, and " + implementation + " may use no other class");
            }
            return defineClass(name, bytes, 0, bytes.length);
        }

        private byte[] compiledHere(String path) {
            try (InputStream file = Objects.requireNonNull(getParent().getResourceAsStream(path), path)) {
                return file.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** The scripts are resources of the library. */
        @Override
        public @Nullable InputStream getResourceAsStream(String path) {
            byte[] file = FILES.get(path);
            return file == null ? super.getResourceAsStream(path) : new ByteArrayInputStream(file);
        }
    }
}
