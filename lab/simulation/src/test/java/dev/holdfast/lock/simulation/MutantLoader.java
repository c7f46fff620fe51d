package dev.holdfast.lock.simulation;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Loads the library and the simulation once more, with one class replaced. The production code has no switch for it. */
final class MutantLoader extends ClassLoader {

    private static final String OURS = "dev.holdfast.lock.";
    /** Knows nothing of the library, and is quick only after a while. */
    private static final String INTERPRETER = OURS + "test.lua.";

    private final Map<String, byte[]> replaced = new HashMap<>();

    /** Replaces nothing. */
    MutantLoader() {
        super(MutantLoader.class.getClassLoader());
    }

    MutantLoader(Mutant mutant) {
        this();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        StringWriter problems = new StringWriter();
        JavaFileObject unit =
                new SimpleJavaFileObject(
                        URI.create("string:///dev/holdfast/lock/" + mutant.file()), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreErrors) {
                        return mutant.changed();
                    }
                };
        List<String> options =
                List.of("-proc:none", "-nowarn", "-parameters", "-cp", System.getProperty("java.class.path"));
        if (!compiler.getTask(problems, new Memory(files), null, options, null, List.of(unit))
                .call()) {
            throw new IllegalArgumentException(mutant + " does not compile: " + problems);
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

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        byte[] bytes = replaced.get(name);
        return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith(INTERPRETER)) {
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
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
