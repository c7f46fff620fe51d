package dev.holdfast.lock.spring.cost;

import java.io.IOException;
import java.io.InputStream;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.instr.Instrumenter;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Loads Holdfast once more, with a probe at each of its branches, and says which lines an action executes. */
final class Recorder extends ClassLoader {

    private static final String OURS = "dev.holdfast.lock.";
    private static final String CONTEXT_PROPAGATION = "io.micrometer.context.";
    private static final String MEASURING = Recorder.class.getPackageName() + ".";
    /** How long no line is executed for the first time until an action counts as over: what it began on other threads belongs to it. */
    private static final long QUIET_MILLIS = 30;

    private final Instrumenter instrumenter = new Instrumenter(Recorder::probes);
    private final Map<String, byte[]> originals = new ConcurrentHashMap<>();
    private final ExecutionDataStore store;

    Recorder() {
        super(Recorder.class.getClassLoader());
        try {
            store = (ExecutionDataStore)
                    loadClass(Probes.class.getName()).getField("STORE").get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    Program start(Class<? extends Program> program, String uri) {
        try {
            return (Program) loadClass(program.getName())
                    .getDeclaredConstructor(String.class, ClassLoader.class)
                    .newInstance(uri, this);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the action executes, on all threads. */
    Executed executed(Callable<?> action) throws Exception {
        return executed(action, QUIET_MILLIS);
    }

    Executed executed(Callable<?> action, long quietMillis) throws Exception {
        store.reset();
        action.call();
        awaitQuiet(quietMillis);
        return read();
    }

    /** Lets other threads end what came before an action. */
    void settle() throws InterruptedException {
        awaitQuiet(QUIET_MILLIS);
    }

    /** Nothing says that other threads are done, so this waits until they execute nothing for the first time. */
    private void awaitQuiet(long quietMillis) throws InterruptedException {
        int before;
        int now = covered();
        do {
            Thread.sleep(quietMillis);
            before = now;
            now = covered();
        } while (now != before);
    }

    private int covered() {
        return store.getContents().stream()
                .mapToInt(each -> {
                    int count = 0;
                    for (boolean probe : each.getProbes()) {
                        count += probe ? 1 : 0;
                    }
                    return count;
                })
                .sum();
    }

    private Executed read() throws IOException {
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(store, builder);
        for (Map.Entry<String, byte[]> type : originals.entrySet()) {
            analyzer.analyzeClass(type.getValue(), type.getKey());
        }
        Map<String, Set<Integer>> files = new TreeMap<>();
        for (IClassCoverage type : builder.getClasses()) {
            Set<Integer> lines = new TreeSet<>();
            for (int line = type.getFirstLine(); line >= 0 && line <= type.getLastLine(); line++) {
                int status = type.getLine(line).getStatus();
                if (status == ICounter.FULLY_COVERED || status == ICounter.PARTLY_COVERED) {
                    lines.add(line);
                }
            }
            if (!lines.isEmpty()) {
                files.computeIfAbsent(type.getPackageName() + "/" + type.getSourceFileName(), file -> new TreeSet<>())
                        .addAll(lines);
            }
        }
        return new Executed(files);
    }

    private static int probes(long id, String name, int count, MethodVisitor method) {
        method.visitLdcInsn(id);
        method.visitLdcInsn(name);
        method.visitLdcInsn(count);
        method.visitMethodInsn(
                Opcodes.INVOKESTATIC,
                Probes.class.getName().replace('.', '/'),
                "of",
                "(JLjava/lang/String;I)[Z",
                false);
        return 4;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith(CONTEXT_PROPAGATION)) {
            // Holdfast registers with it for all of the JVM, where other tests would find the accessor of this loader.
            throw new ClassNotFoundException(name);
        }
        if (!name.startsWith(OURS) || name.equals(Program.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            @Nullable Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    /** The starter tells its own classes from those of an application by where they come from. */
    private ProtectionDomain domainOf(String name) throws ClassNotFoundException {
        return getParent().loadClass(name).getProtectionDomain();
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            if (!name.startsWith(MEASURING)) {
                originals.put(name, bytes);
                bytes = instrumenter.instrument(bytes, name);
            }
            return defineClass(name, bytes, 0, bytes.length, domainOf(name));
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
