package dev.holdfast.lock.spring.cost;

import java.io.IOException;
import java.io.InputStream;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Loads Holdfast once more, with a probe at each of its branches, and says which lines an action executes. */
final class Recorder extends ClassLoader {

    private static final String OURS = "dev.holdfast.lock.";
    private static final String CONTEXT_PROPAGATION = "io.micrometer.context.";
    private static final String PROBES = Probes.class.getName().replace('.', '/');
    private static final String MEASURING = Recorder.class.getPackageName() + ".";
    /** How long no line is executed for the first time until an action counts as over: what it began on other threads belongs to it. */
    private static final long QUIET_MILLIS = 30;

    private final Instrumenter instrumenter = new Instrumenter(Recorder::probes);
    private final Map<String, byte[]> originals = new ConcurrentHashMap<>();
    private final ExecutionDataStore store;
    private final Set<String> entered;

    @SuppressWarnings("unchecked") // The field's own type.
    Recorder() {
        super(Recorder.class.getClassLoader());
        try {
            Class<?> probes = loadClass(Probes.class.getName());
            store = (ExecutionDataStore) probes.getField("STORE").get(null);
            entered = (Set<String>) probes.getField("ENTERED").get(null);
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
        synchronized (entered) {
            entered.clear();
        }
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
        List<String> order = inOrder();
        Map<String, Set<Integer>> files = new LinkedHashMap<>();
        List<IClassCoverage> types = new ArrayList<>(builder.getClasses());
        // A method that still runs was not entered again: it comes last.
        types.sort(Comparator.comparingInt(type -> order.indexOf(type.getName()) + Integer.MIN_VALUE));
        for (IClassCoverage type : types) {
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

    /** Returns the names of the classes in the order in which they were entered. */
    private List<String> inOrder() {
        synchronized (entered) {
            return List.copyOf(entered);
        }
    }

    /** Adds a call to the beginning of each method. Its line is none, and the analysis reads the class without it. */
    private static byte[] announcing(byte[] type, String name) {
        ClassReader reader = new ClassReader(type);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String method,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        return new MethodVisitor(
                                Opcodes.ASM9, super.visitMethod(access, method, descriptor, signature, exceptions)) {
                            @Override
                            public void visitCode() {
                                super.visitCode();
                                visitLdcInsn(name.replace('.', '/'));
                                visitMethodInsn(
                                        Opcodes.INVOKESTATIC, PROBES, "entered", "(Ljava/lang/String;)V", false);
                            }
                        };
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static int probes(long id, String name, int count, MethodVisitor method) {
        method.visitLdcInsn(id);
        method.visitLdcInsn(name);
        method.visitLdcInsn(count);
        method.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, "of", "(JLjava/lang/String;I)[Z", false);
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
                bytes = announcing(instrumenter.instrument(bytes, name), name);
            }
            return defineClass(name, bytes, 0, bytes.length, domainOf(name));
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
