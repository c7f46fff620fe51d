package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.context.ApplicationContext;

/**
 * A text that lists every lock that an application's beans declare. For each lock, it has the method, name, key, kind and settings, and the order in
 * which the lock, transactions, retries and caches run around the method. A test compares it with a checked-in file. If a lock is removed, changed or
 * moved inside a transaction, the build then fails.
 */
public final class LockSnapshot {

    private static final String UPDATE = "holdfast.snapshot.update";

    private final String text;

    private LockSnapshot(String text) {
        this.text = text;
    }

    /**
     * Takes the snapshot of a started application.
     *
     * @param context the application's context
     */
    public static LockSnapshot of(ApplicationContext context) {
        SortedMap<String, List<DeclaredLock>> methods = new TreeMap<>();
        context.getBean(DeclaredLocks.class)
                .all()
                .forEach(lock -> methods.computeIfAbsent(signature(lock.method()), method -> new ArrayList<>())
                        .add(lock));
        return new LockSnapshot(methods.entrySet().stream()
                .map(method -> described(context, method.getKey(), method.getValue()))
                .collect(Collectors.joining()));
    }

    private static String signature(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static String described(ApplicationContext context, String signature, List<DeclaredLock> locks) {
        StringBuilder text = new StringBuilder(signature).append('\n');
        locks.forEach(lock -> text.append("    lock ").append(described(lock)).append('\n'));
        chains(context, locks.get(0).method())
                .forEach(chain -> text.append("    order ").append(chain).append('\n'));
        return text.toString();
    }

    /** Returns the order of steps for each bean that has the method, because the beans may have different proxies. */
    private static List<String> chains(ApplicationContext context, Method method) {
        List<String> chains = new ArrayList<>();
        for (String name : context.getBeanDefinitionNames()) {
            Class<?> type = context.getType(name);
            if (type != null
                    && context.isSingleton(name)
                    && method.getDeclaringClass()
                            .isAssignableFrom(AopProxyUtils.ultimateTargetClass(context.getBean(name)))) {
                List<String> steps = AdviceChain.of(context.getBean(name), method);
                chains.add(
                        steps.contains(AdviceChain.LOCK)
                                ? String.join(" > ", steps) + " > method"
                                : "NOT LOCKED (bean '" + name + "')");
            }
        }
        return chains.isEmpty()
                ? List.of("NOT LOCKED (no bean)")
                : chains.stream().distinct().toList();
    }

    private static String described(DeclaredLock lock) {
        LockSettings settings = lock.settings();
        List<String> parts = new ArrayList<>();
        parts.add("'" + lock.name() + "'" + (lock.key() == null ? "" : " key " + lock.key()));
        parts.add(lock.kind().toString());
        add(parts, "permits", lock.permits() == 0 ? null : lock.permits());
        add(parts, "bypass", Boolean.TRUE.equals(settings.bypass()) ? "true" : null);
        add(parts, "waitTime", time(settings.waitTime()));
        add(parts, "leaseTime", time(settings.leaseTime()));
        add(parts, "minHold", time(settings.minHold()));
        add(parts, "maxHold", time(settings.maxHold()));
        add(parts, "fallback", lock.fallback());
        add(parts, "onBusy", lock.fallback() == null ? settings.onBusy() : null);
        add(parts, "onUnavailable", settings.onUnavailable());
        add(parts, "onLost", settings.onLost());
        parts.addAll(lock.traits());
        return String.join(", ", parts);
    }

    private static @Nullable String time(@Nullable Duration duration) {
        return duration == null ? null : LogText.time(duration);
    }

    private static void add(List<String> parts, String name, @Nullable Object value) {
        if (value != null && !value.equals(true)) {
            parts.add(name + " " + value);
        }
    }

    /**
     * Fails if the snapshot differs from a file. If there is no file, or if the system property {@code holdfast.snapshot.update} is true, writes the
     * file and fails once, so that a developer reads the file and checks it in.
     *
     * @param file a file of the project, such as {@code Path.of("src/test/resources/locks.txt")}
     */
    public void assertMatches(Path file) {
        try {
            if (!Files.exists(file) || Boolean.getBoolean(UPDATE)) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, text);
                throw new AssertionError("The snapshot was written to " + file + ". Read it and check it in:\n" + text);
            }
            String known = Files.readString(file).replace("\r\n", "\n");
            if (!known.equals(text)) {
                throw new AssertionError(
                        "The locks differ from " + file + ". If that is meant, run the test once with -D" + UPDATE
                                + "=true.\n--- known\n" + known + "--- now\n" + text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the snapshot, one paragraph for each method. */
    @Override
    public String toString() {
        return text;
    }
}
