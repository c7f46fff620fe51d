package dev.holdfast.lock.redis.interop;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs on the version of the library that its class loader has. It uses no other class of the tests, which the previous version's loader lacks. */
public final class HoldfastInstance implements VersionedInstance {

    /** Is appended to a name to make the second of several names. */
    static final String SECOND_NAME = "-b";

    private @Nullable LockClient client;

    private record HeldLease(Lease lease) implements Hold {

        @Override
        public long token() {
            return lease.fencingToken();
        }

        @Override
        public boolean verify() {
            return lease.verify();
        }

        @Override
        public void close() {
            lease.close();
        }
    }

    @Override
    public void open(Duration watchdogTimeout, Duration pollInterval, List<RedisURI> addresses) {
        RedisSource source = addresses.size() == 1
                ? RedisSource.of(addresses.get(0))
                : RedisSource.cluster(addresses.toArray(RedisURI[]::new));
        client = RedisLockClient.builder(source)
                .checkAtStart(false)
                .watchdogTimeout(watchdogTimeout)
                .pollInterval(pollInterval)
                .build();
    }

    private LockClient client() {
        return Objects.requireNonNull(client);
    }

    private LeaseSource lock(Form form, String name) {
        return switch (form) {
            case PLAIN -> client().getLock(name);
            case FAIR -> client().getLock(name, LockKind.FAIR);
            case READ -> client().getLock(name, LockKind.READ);
            case WRITE -> client().getLock(name, LockKind.WRITE);
            case PERMIT -> client().getSemaphore(name, 2);
            case SEVERAL -> client().getMultiLock(List.of(name, name + SECOND_NAME));
        };
    }

    @Override
    public Optional<Hold> tryAcquire(Form form, String name) {
        return lock(form, name)
                .tryAcquire(AcquireOptions.defaults().waitAtMost(Duration.ZERO))
                .map(HeldLease::new);
    }

    @Override
    public CompletableFuture<Hold> acquire(Form form, String name) {
        return lock(form, name)
                .acquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                .<Hold>thenApply(HeldLease::new)
                .toCompletableFuture();
    }

    @Override
    public long renewals() {
        return client().statistics().renewals();
    }

    @Override
    public long wakeUpsByMessage() {
        return client().statistics().wakeUpsBySignal();
    }

    @Override
    public String owner(String name) {
        return client().inspect(name).map(LockState::owner).orElse("nobody");
    }

    @Override
    public boolean requestStop(String name) {
        return client().requestStop(name);
    }

    @Override
    public void close() {
        client().close();
    }
}
