package dev.holdfast.check;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A library that can be checked. What the page says of it is from its documentation.
 *
 * @param title its name for people
 * @param locks what the workers open
 * @param entry a class of it, if it is in the reader's jars; empty if it is in this one
 * @param jar the name of its jar, without the version
 * @param use how the workers use it
 * @param waits whether a caller can wait for a lock
 * @param tokens whether a holder gets a number that a store can compare
 * @param renewal whether a lock lasts longer than its time while its holder works
 * @param learns how a holder can learn that it has lost its lock
 * @param help what helps: settings of this library, or none
 */
public record CheckedLibrary(
        String title,
        Class<? extends WorkerLocks> locks,
        String entry,
        String jar,
        String use,
        boolean waits,
        boolean tokens,
        String renewal,
        String learns,
        List<String> help) {

    public static final CheckedLibrary HOLDFAST = new CheckedLibrary(
            "Holdfast",
            HoldfastLibrary.class,
            "",
            "holdfast-check",
            "locks of all kinds, with a watchdog timeout of 1 s",
            true,
            true,
            "Yes, by a watchdog.",
            "It is notified, and each worker also calls lease.isHeld() before each step, which sends nothing.",
            List.of(
                    "failover-grace, if Redis can forget locks in a failover: https://holdfast-dev.github.io/holdfast/docs/failover.html",
                    "a store that compares the fencing token, for a process that pauses right before it writes:"
                            + " https://holdfast-dev.github.io/holdfast/docs/fencing.html"));

    public static final CheckedLibrary NAIVE = new CheckedLibrary(
            "The naive lock",
            NaiveLibrary.class,
            "",
            "holdfast-check",
            "SET NX PX, a thread that renews, and DEL, to see what the check finds",
            true,
            true,
            "Yes, whoever the holder is.",
            "It cannot.",
            List.of());

    public static final CheckedLibrary REDISSON = new CheckedLibrary(
            "Redisson",
            RedissonLibrary.class,
            "org.redisson.Redisson",
            "redisson",
            "RFencedLock.tryLockAndGetToken(wait, -1, unit), with lockWatchdogTimeout at 1 s",
            true,
            true,
            "Yes, by the watchdog, if no leaseTime is given.",
            "At unlock(), by an exception. It can also ask Redis with isHeldByCurrentThread(), which each worker does before each"
                    + " step. Code that does not ask works on where this page says that a holder stopped in time.",
            List.of(
                    "RFencedLock instead of RLock, and a store that compares its token:"
                            + " https://redisson.pro/docs/data-and-services/locks-and-synchronizers/",
                    "isHeldByCurrentThread() before what must not happen twice, if no store can compare",
                    "timeout (3 s) and retryAttempts (4), if calls exceed their wait: https://redisson.pro/docs/configuration/"));

    static final CheckedLibrary SHEDLOCK = new CheckedLibrary(
            "ShedLock",
            ShedLockLibrary.class,
            "net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider",
            "shedlock-core",
            "new RedisLockProvider(connections).lock(…), with lockAtMostFor at 1 s, and work of at most half of that",
            false,
            false,
            "Not offered here: a lock ends after lockAtMostFor, so no work in this check takes that long. KeepAliveLockProvider extends"
                    + " it, if lockAtMostFor is 30 s or more.",
            "Not offered.",
            List.of(
                    "lockAtMostFor \"significantly larger than maximum estimated execution time\", pauses included:"
                            + " https://github.com/lukas-krecan/ShedLock#behavior",
                    "KeepAliveLockProvider, for work whose length is not known:"
                            + " https://github.com/lukas-krecan/ShedLock#keepalivelockprovider",
                    "new RedisLockProvider.Builder(connections).safeUpdate(true). Without it, as in this check, a late release frees the"
                            + " lock of the next holder: https://github.com/lukas-krecan/ShedLock/issues/2583",
                    "spring.data.redis.timeout, if calls exceed their wait",
                    "ShedLock is for tasks that \"can be safely executed repeatedly\""));

    static final CheckedLibrary SPRING_INTEGRATION = new CheckedLibrary(
            "Spring Integration",
            SpringIntegrationLibrary.class,
            "org.springframework.integration.redis.util.RedisLockRegistry",
            "spring-integration-redis",
            "RedisLockRegistry.obtain(…).tryLock(wait), with expireAfter at 1 s, and work of at most half of that",
            true,
            false,
            "Not offered by default: a lock ends after expireAfter, so no work in this check takes that long."
                    + " setRenewalTaskScheduler (6.4) renews it.",
            "At unlock(), by an exception, which its documentation calls severe.",
            List.of(
                    "setRenewalTaskScheduler, for work whose length is not known, and a \"large enough\" expireAfter:"
                            + " https://docs.spring.io/spring-integration/reference/redis.html#redis-lock-registry",
                    "RedisLockType.PUB_SUB_LOCK, if a free lock is seen too late: the default looks every 100 ms",
                    "spring.data.redis.timeout, if calls exceed their wait"));

    static final CheckedLibrary SHEDLOCK_WITH_SAFE_UPDATE = SHEDLOCK.with(
            "safe update",
            ShedLockLibrary.WithSafeUpdate.class,
            "new RedisLockProvider.Builder(connections).safeUpdate(true).build().lock(…), with lockAtMostFor at 1 s, and work of at most half of"
                    + " that",
            SHEDLOCK.renewal(),
            "safeUpdate");

    static final CheckedLibrary SPRING_INTEGRATION_WITH_RENEWAL = SPRING_INTEGRATION.with(
            "renewal",
            SpringIntegrationLibrary.WithRenewal.class,
            "RedisLockRegistry.obtain(…).tryLock(wait), with expireAfter at 1 s, and setRenewalTaskScheduler",
            "Yes, every third of expireAfter.",
            "setRenewalTaskScheduler");

    private static final List<CheckedLibrary> ALL = List.of(
            HOLDFAST,
            NAIVE,
            REDISSON,
            SHEDLOCK,
            SHEDLOCK_WITH_SAFE_UPDATE,
            SPRING_INTEGRATION,
            SPRING_INTEGRATION_WITH_RENEWAL);

    /** Returns this library with a setting that helps. It is no more among what would help. */
    private CheckedLibrary with(
            String setting, Class<? extends WorkerLocks> locks, String use, String renewal, String name) {
        return new CheckedLibrary(
                title + " with " + setting,
                locks,
                entry,
                jar,
                use,
                waits,
                tokens,
                renewal,
                learns,
                help.stream().filter(each -> !each.contains(name)).toList());
    }

    /** @throws IllegalArgumentException if there is no such library */
    static CheckedLibrary named(String name) {
        return ALL.stream()
                .filter(each -> each.option().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--library must be "
                        + ALL.stream().map(CheckedLibrary::option).collect(Collectors.joining(", ")) + ", was '" + name
                        + "'"));
    }

    String option() {
        return title.replace("The ", "")
                .replace(" lock", "")
                .toLowerCase(Locale.ROOT)
                .replace(' ', '-');
    }

    /** Returns whether the library comes from the reader's jars. */
    boolean isReaders() {
        return !entry.isEmpty();
    }
}
