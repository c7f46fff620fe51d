package dev.holdfast.lock.simulation;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Loads the library and the simulation once more, with some classes replaced. The production code has no switch for it. */
final class MutantLoader extends ClassLoader {

    private static final String OURS = "dev.holdfast.lock.";
    /** They know nothing of the library: the interpreter is quick only after a while, and the fixtures have one server for all. */
    private static final List<String> ALONE = List.of(OURS + "test.lua.", OURS + "testing.", OURS + "proxy.");

    private final Map<String, byte[]> replaced = new HashMap<>();
    private final Set<String> read = ConcurrentHashMap.newKeySet();

    /** Says that these classes come from a place of their own. Fray's agent takes classes of one name and place for the same. */
    private final ProtectionDomain place =
            new ProtectionDomain(new CodeSource(url(System.identityHashCode(this)), (Certificate[]) null), null);

    /** Loads everything unchanged, and reads these files instead of those of the same names. */
    MutantLoader(Map<String, byte[]> files) {
        super(MutantLoader.class.getClassLoader());
        replaced.putAll(files);
    }

    MutantLoader(Mutant... mutants) {
        super(MutantLoader.class.getClassLoader());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        StringWriter problems = new StringWriter();
        List<SimpleJavaFileObject> units =
                Stream.of(mutants).map(MutantLoader::source).toList();
        List<String> options =
                List.of("-proc:none", "-nowarn", "-parameters", "-cp", System.getProperty("java.class.path"));
        if (!units.isEmpty()
                && !compiler.getTask(problems, new Memory(files), null, options, null, units)
                        .call()) {
            throw new IllegalArgumentException(Arrays.toString(mutants) + " do not compile: " + problems);
        }
    }

    private static SimpleJavaFileObject source(Mutant mutant) {
        return new SimpleJavaFileObject(
                URI.create("string:///dev/holdfast/lock/" + mutant.file()), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return mutant.marked();
            }
        };
    }

    private static URL url(int number) {
        try {
            return URI.create("file:/mutant-" + number).toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        Memory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String type, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + type.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            replaced.put(type.replace('.', '/') + ".class", toByteArray());
                        }
                    };
                }
            };
        }
    }

    boolean hasLoaded(String name) {
        return findLoadedClass(name) != null;
    }

    /** Calls a public method with texts, which are the same in both worlds, of a class that is loaded here. */
    String call(Class<?> type, String method, String... args) {
        Class<?>[] types = new Class<?>[args.length];
        Arrays.fill(types, String.class);
        try {
            return (String) loadClass(type.getName()).getMethod(method, types).invoke(null, (Object[]) args);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + "." + method, e);
        }
    }

    /** Returns the names of the files that were read, those of classes among them. */
    Set<String> read() {
        return Set.copyOf(read);
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        read.add(name);
        byte[] bytes = replaced.get(name);
        return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || ALONE.stream().anyMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length, place);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
