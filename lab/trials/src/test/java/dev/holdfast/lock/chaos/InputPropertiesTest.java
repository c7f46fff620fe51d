package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** What holds for every name and every duration. The seed is fixed; {@link NewInputPropertiesTest} draws new ones at night. */
class InputPropertiesTest {

    private static final String SEED = "1";

    private static final List<String> OWN_KEYS = List.of(
            "redisson_lock_queue:",
            "redisson_lock_timeout:",
            "redisson_lock__channel:",
            "redisson_rwlock:",
            "holdfast:token",
            "holdfast:wake:",
            "holdfast:client:");

    private static RedisServer server;
    private static LockClient client;
    private static int times;

    @BeforeContainer
    static void start() {
        server = RedisServer.start();
        client = RedisLockClient.builder(RedisSource.of(server.uri()))
                .checkAtStart(false)
                .build();
    }

    @AfterContainer
    static void stop() {
        client.close();
        server.close();
    }

    /** Of characters that mean something to Redis, to logs or to UTF-16, and of any others. */
    @Provide
    Arbitrary<String> names() {
        Arbitrary<String> special = Arbitraries.strings()
                .withChars('{', '}', '%', ':', '\n', '\r', '\0', '\ud800', '\udc00', ' ', 'a', 'ä', '*', '$')
                .ofMaxLength(40);
        Arbitrary<String> internal = Arbitraries.of(OWN_KEYS)
                .flatMap(prefix ->
                        Arbitraries.strings().withChars("{}a:1").ofMaxLength(6).map(end -> prefix + end));
        return Arbitraries.oneOf(special, internal, Arbitraries.strings().ofMaxLength(600));
    }

    @Property(tries = 5_000, seed = SEED)
    void nameIsRefusedWithAReasonOrIsOneSlotsText(@ForAll("names") String name) {
        try {
            String accepted = client.getLock(name).name();
            assertThat(accepted).isEqualTo(name);
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).isNotBlank();
            assertThat(refused.getMessage().chars())
                    .as("no line of a log is forged")
                    .noneMatch(Character::isISOControl);
            return;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        assertThat(bytes).hasSizeBetween(1, 512);
        assertThat(new String(bytes, StandardCharsets.UTF_8))
                .as("no lone surrogate")
                .isEqualTo(name);
        assertThat(name).doesNotContain(":rwlock_timeout:");
        assertThat(OWN_KEYS)
                .as("keys and channels of docs/contributing/protocol.md")
                .noneMatch(name::startsWith);
        // As docs/contributing/protocol.md has it: without the braces where the name has a hash tag of its own.
        String tagged = name.indexOf('{') >= 0 ? name : "{" + name + "}";
        for (String key : List.of(
                "redisson_lock_queue:" + tagged,
                "redisson_lock_timeout:" + tagged,
                "redisson_lock__channel:" + tagged)) {
            assertThat(SlotHash.getSlot(key)).as(key).isEqualTo(SlotHash.getSlot(name));
        }
    }

    /** Two names are two locks, and each is found in Redis under itself. */
    @Property(tries = 200, seed = SEED)
    void acquiredNameIsTheKeyAndLeavesNothing(@ForAll("names") String name) {
        Lease lease;
        try {
            lease = client.getLock(name).acquire();
        } catch (IllegalArgumentException refused) {
            return;
        }
        Set<String> keys = new HashSet<>(server.cli().keys("*"));
        keys.removeIf(key -> key.startsWith("holdfast:token") || key.startsWith("holdfast:client:"));
        assertThat(keys).containsExactly(name);
        assertThat(server.cli().pttl(name)).isPositive();
        lease.close();
        assertThat(server.cli().exists(name)).isZero();
    }

    @Provide
    Arbitrary<Duration> durations() {
        Arbitrary<Duration> edges = Arbitraries.of(
                Duration.ZERO,
                Duration.ofNanos(1),
                Duration.ofNanos(-1),
                Duration.ofNanos(9_999_999),
                Duration.ofMillis(10),
                Duration.ofHours(24),
                Duration.ofHours(24).plusNanos(1),
                Duration.ofNanos(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
                Duration.ofSeconds(Long.MIN_VALUE));
        return Arbitraries.oneOf(
                edges,
                Arbitraries.longs().map(Duration::ofNanos),
                Arbitraries.longs().map(Duration::ofSeconds),
                Arbitraries.longs().between(0, 90_000_000).map(Duration::ofMillis));
    }

    /** Whatever the times: a free lock is acquired at once, its key ends, and a busy one is answered. */
    @Property(tries = 100, seed = SEED)
    void everyWaitAndEveryLeaseWork(@ForAll("durations") Duration wait, @ForAll("durations") Duration lease) {
        AcquireOptions options = AcquireOptions.defaults().waitAtMost(wait);
        boolean fits = lease.compareTo(AcquireOptions.MIN_LEASE) >= 0 && lease.compareTo(AcquireOptions.MAX_LEASE) <= 0;
        // Its own name: a lease of the last round may still be under way.
        String name = "times-" + ++times;
        Lease held;
        try {
            held = client.getLock(name).acquire(fits ? options.lease(lease) : options);
        } catch (LockUnavailableException late) {
            // On a busy machine, the answer for a lease of a few milliseconds may come after these. That lock is none.
            assertThat(fits && lease.compareTo(Duration.ofSeconds(5)) < 0)
                    .as(late.getMessage())
                    .isTrue();
            return;
        }
        assertThat(server.cli().pttl(name))
                .isBetween(-2L, AcquireOptions.MAX_LEASE.toMillis())
                .isNotEqualTo(-1);
        CompletableFuture<?> second =
                client.getLock(name).tryAcquireAsync(options).toCompletableFuture();
        second.cancel(false);
        held.releaseAsync().toCompletableFuture().exceptionally(lost -> null).join();
        second.handle((lease2, thrown) -> lease2).join();
        client.forceRelease(name);
    }
}
