package dev.holdfast.lock;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;

import dev.holdfast.lock.ArchitecturePageTest.CallPath;
import dev.holdfast.lock.ArchitecturePageTest.Hop;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Real stacks against the paths of {@code docs/contributing/architecture.md}: each hop calls the next one, and no class between them is left out.
 * They are recorded wherever the client asks for the time, as it does for each command that it sends, and where it completes what its callers wait
 * for.
 */
class RecordedPathsTest {

    private static final Duration SOON = Await.PATIENCE;

    /** A class on a stack, with those of its methods that call each other. */
    private record Frame(String file, Set<String> methods) {

        boolean is(Hop hop) {
            return hop.file().equals(file) && methods.contains(hop.method());
        }
    }

    private final Set<List<Frame>> stacks = ConcurrentHashMap.newKeySet();
    private @Nullable Lease renewed;
    private @Nullable CompletableFuture<Lease> asking;

    private void record() {
        List<Frame> stack = new ArrayList<>();
        StackTraceElement[] elements = new Throwable().getStackTrace();
        for (int i = elements.length - 1; i >= 0; i--) {
            String type = elements[i].getClassName().replaceAll("\\$.*", "");
            if (isListed(type)) {
                String file = type.substring("dev.holdfast.lock.".length()).replace('.', '/') + ".java";
                String method = elements[i].getMethodName().replaceAll("^lambda\\$(\\w+)\\$\\d+$", "$1");
                Frame last = stack.isEmpty() ? null : stack.get(stack.size() - 1);
                if (last != null && last.file.equals(file)) {
                    last.methods.add(method);
                } else {
                    stack.add(new Frame(file, ConcurrentHashMap.newKeySet()));
                    stack.get(stack.size() - 1).methods.add(method);
                }
            }
        }
        stacks.add(stack);
    }

    /** The toolbox of .internal.background is on no page. */
    private static boolean isListed(String type) {
        return type.startsWith("dev.holdfast.lock.")
                && !type.startsWith("dev.holdfast.lock.internal.background.")
                && !type.endsWith("Test")
                && !type.contains(".fixture.");
    }

    private LockClient client(RedisServer server) {
        return Waits.client(server)
                .watchdogTimeout(Duration.ofSeconds(5))
                .pollInterval(Duration.ofMillis(200))
                .handOver(32, Duration.ofMinutes(1))
                .clock(() -> {
                    record();
                    return System.nanoTime();
                })
                .callbackExecutor(task -> {
                    record();
                    task.run();
                })
                .build();
    }

    @Test
    void pageShowsThePathsThatCallsTake() throws IOException {
        try (RedisServer server = RedisServer.start();
                LockClient first = client(server);
                LockClient second = client(server)) {
            play(server, first, second);
            for (CallPath path : ArchitecturePageTest.paths().toList()) {
                if (!path.hops().get(0).file().startsWith("spring/")) {
                    // Played again where an answer came before its caller waited for it.
                    path.segments()
                            .forEach(segment -> Await.until(segment + " of '" + path + "'", SOON, () -> {
                                boolean recorded = isRecorded(segment);
                                if (!recorded) {
                                    play(server, first, second);
                                }
                                return recorded;
                            }));
                }
            }
            Objects.requireNonNull(asking).cancel(true);
        }
    }

    /** Also ensures that a lease is being renewed, whose waiter asks now and then. A machine that is too busy for that loses the lease. */
    private void play(RedisServer server, LockClient first, LockClient second) {
        if (renewed == null || !renewed.isHeld()) {
            String held = name("renewed");
            renewed = held(first, held);
            asking = wanted(second, held);
        }
        String name = name("recorded");
        held(first, name).close();
        Lease lease = get(wanted(first, name));
        CompletableFuture<Lease> next = wanted(second, name);
        awaitListeners(server, name, 1);
        lease.close();
        lease = get(next);
        CompletableFuture<Lease> behind = wanted(second, name);
        lease.close();
        get(behind).close();
    }

    private boolean isRecorded(List<Hop> segment) {
        return stacks.stream().anyMatch(stack -> isIn(stack, segment));
    }

    private static boolean isIn(List<Frame> stack, List<Hop> segment) {
        return IntStream.rangeClosed(0, stack.size() - segment.size())
                .anyMatch(from -> IntStream.range(0, segment.size())
                        .allMatch(i -> stack.get(from + i).is(segment.get(i))));
    }
}
