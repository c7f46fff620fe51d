package dev.holdfast.check;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/** Holdfast, with all kinds of locks and all ways to acquire them. */
final class HoldfastLibrary implements WorkerLocks {

    private final List<LockClient> clients = new ArrayList<>();
    private final TokenLosses losses = new TokenLosses();
    private final Interrupter interrupter = new Interrupter();

    HoldfastLibrary(Address address) {
        switch (address.shape()) {
            case SERVER -> clients.add(client(RedisSource.of(address.uri(0))));
            case SENTINELS -> clients.add(client(RedisSource.of(address.sentinels())));
            case CLUSTER ->
                clients.add(client(RedisSource.cluster(address.uris().toArray(RedisURI[]::new))));
            case QUORUM -> address.uris().forEach(uri -> clients.add(client(RedisSource.of(uri))));
        }
    }

    private LockClient client(RedisSource source) {
        return RedisLockClient.builder(source)
                .keyPrefix(WorkerSettings.PRESENT.prefix())
                .checkAtStart(false)
                .watchdogTimeout(Terms.LEASE)
                .failoverGrace(Terms.grace())
                .listener(losses)
                .build();
    }

    @Override
    public boolean hasAllKinds() {
        return true;
    }

    @Override
    public Answer acquire(Request request) {
        try {
            return switch (request.way()) {
                case LEASE -> answer(request, lock(request).tryAcquire(options(request)));
                case FIXED_LEASE -> {
                    Duration lease = Duration.ofMillis(50 + request.delayMicros() % 500);
                    yield answer(
                            request, lock(request).tryAcquire(options(request).lease(lease)));
                }
                case CANCELED -> canceled(request);
                case INTERRUPTED -> interrupted(request);
                case REENTRANT -> reentrant(request);
            };
        } catch (LockUnavailableException e) {
            return new NotAcquired(Ending.UNAVAILABLE);
        } catch (LockInterruptedException | InterruptedException e) {
            return new NotAcquired(Ending.GIVEN_UP);
        }
    }

    private static AcquireOptions options(Request request) {
        return AcquireOptions.defaults().waitAtMost(request.patience());
    }

    private LeaseLock lock(Request request) {
        LockClient client = clients.get(0);
        String name = request.locks().get(0);
        return switch (request.use()) {
            case PLAIN -> client.getLock(name);
            case FAIR -> client.getFairLock(name);
            case READ -> client.getLock(name, LockKind.READ);
            case WRITE -> client.getLock(name, LockKind.WRITE);
            case SEVERAL -> client.getMultiLock(request.locks());
            case QUORUM -> QuorumLock.of(name, clients);
        };
    }

    private static Answer answer(Request request, Optional<Lease> lease) {
        return lease.<Answer>map(has -> acquired(request, has)).orElse(new NotAcquired(Ending.BUSY));
    }

    private static Answer acquired(Request request, Lease lease) {
        lease.onLost(loss -> request.onLost().accept(System.nanoTime()));
        return new Acquired(new Hold() {
            @Override
            public long token() {
                return lease.fencingToken();
            }

            @Override
            public boolean isHeld() {
                return lease.isHeld();
            }

            @Override
            public Ending release() {
                return ending(lease::close);
            }
        });
    }

    private static Ending ending(Runnable release) {
        try {
            release.run();
            return Ending.RELEASED;
        } catch (LeaseLostException e) {
            return Ending.LOST;
        } catch (RuntimeException e) {
            e.printStackTrace();
            return Ending.FAILED;
        }
    }

    private Answer canceled(Request request) {
        CompletableFuture<Optional<Lease>> future =
                lock(request).tryAcquireAsync(options(request)).toCompletableFuture();
        LockSupport.parkNanos(request.delayMicros() * 1_000);
        if (future.cancel(false)) {
            return new NotAcquired(Ending.GIVEN_UP);
        }
        try {
            return answer(request, future.join());
        } catch (CompletionException | CancellationException e) {
            return new NotAcquired(Ending.UNAVAILABLE);
        }
    }

    private Answer interrupted(Request request) {
        Runnable stop = interrupter.interruptAfter(request.delayMicros());
        try {
            return answer(request, lock(request).tryAcquire(options(request)));
        } finally {
            stop.run();
        }
    }

    /** Acquires the lock for the thread. The hold acquires it a second time whenever it is checked. */
    private Answer reentrant(Request request) throws InterruptedException {
        LeaseLock lock = lock(request);
        if (!lock.tryLock(request.patience())) {
            return new NotAcquired(Ending.BUSY);
        }
        long token = lock.fencingToken();
        losses.watch(token, request.onLost());
        return new Acquired(new ThreadHold(lock, token, losses));
    }

    @Override
    public void forceRelease(String lock) {
        clients.forEach(client -> client.forceRelease(lock));
    }

    @Override
    public void close() {
        interrupter.close();
        clients.forEach(LockClient::close);
    }
}
