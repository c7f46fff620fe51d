package dev.holdfast.lock.spring.cost;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.leader.LeaderListener;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.spring.boot.LockInterceptorAutoConfiguration;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** A small application, and the calls that {@link PathCostsTest} measures. */
public final class LockProgram implements Program {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final LockClient locks;

    private volatile int frames;

    public LockProgram(String uri, ClassLoader loader) {
        locks = RedisLockClient.builder(RedisSource.of(uri))
                .watchdogTimeout(Duration.ofSeconds(3))
                .handOver(32, LONG)
                .clock(this::time)
                .build();
        context.setAllowCircularReferences(false);
        context.setClassLoader(loader);
        context.registerBean(LockClient.class, () -> locks);
        context.register(Application.class, Jobs.class);
        context.refresh();
        locks.connected()
                .toCompletableFuture()
                .orTimeout(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** The client asks for the time for each command that it sends. */
    private long time() {
        StackTraceElement[] stack = new Throwable().getStackTrace();
        int count = 0;
        boolean sends = false;
        for (StackTraceElement frame : stack) {
            String type = frame.getClassName();
            if (type.startsWith("dev.holdfast.lock.") && !type.startsWith("dev.holdfast.lock.spring.cost.")) {
                count++;
                sends |= type.endsWith(".PendingCommand")
                        && frame.getMethodName().equals("send");
            }
        }
        if (sends) {
            frames = count;
        }
        return System.nanoTime();
    }

    @Override
    public int lock(String name) {
        locks.getLock(name).lock();
        return frames;
    }

    @Override
    public int unlock(String name) {
        locks.getLock(name).unlock();
        return frames;
    }

    @Override
    public AutoCloseable hold(String name) {
        return locks.getLock(name).acquire();
    }

    @Override
    public Future<AutoCloseable> want(String name) {
        return locks.getLock(name)
                .acquireAsync(AcquireOptions.defaults().waitAtMost(LONG))
                .<AutoCloseable>thenApply((Lease lease) -> lease)
                .toCompletableFuture();
    }

    @Override
    public void annotated(String key, Callable<?> body) {
        context.getBean(Jobs.class).keyed(key, body);
    }

    @Override
    public void nextTick() {
        try (Lease holder = locks.getLock("job").acquire()) {
            locks.getRecord("job").write(holder, "tick 2020-01-01T00:00:00Z", Duration.ofHours(1));
        }
    }

    @Override
    public void tick() {
        context.getBean(Jobs.class).job();
    }

    @Override
    public AutoCloseable lead(String name) {
        LeaderElection election = LeaderElection.of(locks.getLock(name));
        CountDownLatch leads = new CountDownLatch(1);
        election.addListener(new LeaderListener() {
            @Override
            public void onGranted(LeaderEvent.Granted event) {
                leads.countDown();
            }
        });
        election.start();
        try {
            if (!leads.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("no leader of '" + name + "'");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return election;
    }

    @Override
    public void close() {
        context.close();
    }

    @ImportAutoConfiguration({LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class})
    public static class Application {}

    public static class Jobs {

        @DistributedLock(name = "keyed", key = "#key")
        public void keyed(String key, Callable<?> body) {
            try {
                body.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("job")
        public void job() {}
    }
}
