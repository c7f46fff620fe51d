package dev.holdfast.lock.test;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisFailure.Kind;
import dev.holdfast.lock.test.memory.MemoryGateway.Command;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Carries a client's commands to the server, with the faults that a test has chosen. */
final class FaultyTraffic implements Traffic {

    private final VirtualClock clock;
    private volatile boolean unavailable;
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicLong answers = new AtomicLong();
    private volatile boolean wasTroubled;
    private volatile Duration delay = Duration.ZERO;
    private volatile Duration patience = Duration.ofSeconds(2);
    private volatile @Nullable String refusal;
    private volatile Asked asked = (lockName, owner, kind) -> {};
    private volatile Runnable trouble = () -> {};

    /** Called before an acquisition reaches the server. */
    interface Asked {
        void asked(String lockName, String owner, LockKind kind);
    }

    FaultyTraffic(VirtualClock clock) {
        this.clock = clock;
    }

    Duration patience() {
        return patience;
    }

    void patience(Duration commandTimeout) {
        patience = commandTimeout;
    }

    void unavailable(boolean is) {
        unavailable = is;
        wasTroubled = true;
    }

    void delay(Duration time) {
        delay = time;
        wasTroubled = true;
    }

    /** Refuses every acquisition with this reason, until the reason is set to null. */
    void refuse(@Nullable String why) {
        refusal = why;
    }

    /**
     * Sets the observers of the commands.
     *
     * @param acquisition called before each acquisition
     * @param waiting called before each acquisition, because its caller may have to wait
     */
    void observe(Asked acquisition, Runnable waiting) {
        asked = acquisition;
        trouble = waiting;
    }

    void heal() {
        unavailable = false;
        delay = Duration.ZERO;
        refusal = null;
    }

    /** Returns whether there was trouble since the last call of this method. */
    boolean takeTrouble() {
        boolean was = wasTroubled;
        wasTroubled = false;
        return was;
    }

    /** Returns the number of late answers so far, including those that never arrived. */
    long answers() {
        return answers.get();
    }

    boolean hasLateAnswers() {
        return late.get() > 0;
    }

    @Override
    public <T> CompletableFuture<T> send(String command, List<String> keys, List<String> args, Command<T> execution) {
        boolean acquires = command.endsWith("acquire");
        String refused = refusal;
        if (acquires && refused != null) {
            return CompletableFuture.failedFuture(RedisFailure.simulated(Kind.REFUSED, refused));
        }
        if (unavailable) {
            return CompletableFuture.failedFuture(
                    RedisFailure.simulated(Kind.NOT_SENT, "not sent: the test has made Redis unavailable"));
        }
        if (acquires) {
            LockKind kind = kind(command, args);
            keys.forEach(key -> asked.asked(key, args.get(0), kind));
            // The acquisition may be refused and then wait.
            trouble.run();
        }
        CompletableFuture<T> executed = Traffic.executed(execution);
        if (acquires && executed.isCompletedExceptionally()) {
            LockKind kind = kind(command, args);
            executed = executed.exceptionallyCompose(failure -> CompletableFuture.failedFuture(named(failure, kind)));
        }
        return delay.isZero() ? executed : late(executed);
    }

    /** Adds a hint about the test's likely mistake to the failure. */
    private static Throwable named(Throwable failure, LockKind kind) {
        if (!String.valueOf(failure.getMessage()).contains("WRONGKIND")) {
            return failure;
        }
        String lock = kind.isSemaphore() ? "getSemaphore(name, permits)" : "getLock(name, LockKind." + kind + ")";
        return RedisFailure.simulated(
                Kind.REFUSED,
                failure.getMessage() + ". The code asks for it as " + kind
                        + "; if the test holds it, use locks.holdElsewhere(locks." + lock + ")");
    }

    private static LockKind kind(String script, List<String> args) {
        return switch (script) {
            case "read-acquire" -> LockKind.READ;
            case "write-acquire" -> LockKind.WRITE;
            case "semaphore-acquire" -> args.contains("fair-semaphore") ? LockKind.FAIR_SEMAPHORE : LockKind.SEMAPHORE;
            default -> args.contains("fair") ? LockKind.FAIR : LockKind.REENTRANT;
        };
    }

    /** Delays the answer. The server has already executed the command. */
    private <T> CompletableFuture<T> late(CompletableFuture<T> executed) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        late.incrementAndGet();
        answer.whenComplete((value, failure) -> {
            late.decrementAndGet();
            answers.incrementAndGet();
        });
        Duration limit = patience;
        if (delay.compareTo(limit) < 0) {
            clock.plan(
                    () -> executed.whenComplete((value, failure) -> {
                        if (failure == null) {
                            answer.complete(value);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    }),
                    delay.toNanos(),
                    TimeUnit.NANOSECONDS);
        } else {
            clock.plan(
                    () -> answer.completeExceptionally(
                            RedisFailure.simulated(Kind.NO_ANSWER, "no answer within " + limit)),
                    limit.toNanos(),
                    TimeUnit.NANOSECONDS);
        }
        return answer;
    }
}
