package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fencing.GuardedRedisTest.Redis;
import dev.holdfast.lock.spring.fencing.GuardedRedisTest.Work;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What the guard adds to {@code SET}, under a lock that is held: the same template with and without it, and the lock client's own way, in turn. Not a
 * part of the build: {@code -Dholdfast.guard.cost=20000} is the number of writes of each.
 */
@EnabledIfSystemProperty(named = GuardedWriteCostTest.COUNT, matches = "\\d+")
class GuardedWriteCostTest {

    static final String COUNT = "holdfast.guard.cost";

    @Test
    void guardedWriteBesideABareOne() {
        int count = Integer.getInteger(COUNT);
        long[] bare = new long[count];
        long[] guarded = new long[count];
        long[] ofLease = new long[count];
        String key = "value:" + UUID.randomUUID();
        try (Locked app = Locked.application(Redis.class, Work.class)) {
            StringRedisTemplate template = app.bean(StringRedisTemplate.class);
            GuardedRedis redis = app.bean(GuardedRedis.class);
            app.bean(Work.class).under("lamp", () -> {
                Lease lease = LockContext.current();
                for (int warm = 0; warm < 2; warm++) {
                    for (int i = 0; i < count; i++) {
                        bare[i] = time(() -> template.opsForValue().set(key, "x"));
                        guarded[i] = time(() -> redis.set(key, "x"));
                        ofLease[i] = time(() -> lease.guard().set(key, "x"));
                    }
                }
            });
            template.delete(key);
        }
        System.out.printf(
                "write, median of %d: SET of the template %d µs, GuardedRedis %d µs (%.2f), lease.guard() %d µs (%.2f)%n",
                count, median(bare), median(guarded), ratio(guarded, bare), median(ofLease), ratio(ofLease, bare));
        assertThat(median(bare)).isPositive();
    }

    private static long time(Runnable work) {
        long begun = System.nanoTime();
        work.run();
        return System.nanoTime() - begun;
    }

    private static double ratio(long[] one, long[] other) {
        return (double) median(one) / median(other);
    }

    private static long median(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2] / 1000;
    }
}
