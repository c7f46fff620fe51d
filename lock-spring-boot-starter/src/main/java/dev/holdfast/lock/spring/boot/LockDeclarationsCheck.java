package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Refuses to start if a declared lock could not be acquired, or if settings would not reach the lock that they are meant for. */
record LockDeclarationsCheck(
        ObjectProvider<LockProperties> properties, boolean ignoresUnknownNames, ObjectProvider<LockClient> client)
        implements DeclaredLocks.Check {
    @Override
    public void check(DeclaredLocks declared) {
        checkAreDistinct(declared);
        checkSettingsAreOfDeclaredLocks(properties.getObject().locks().keySet(), declared);
        for (DeclaredLock lock : declared.all()) {
            checkFitsTheGrace(lock);
        }
        if (!declared.names().isEmpty() && client.getIfUnique() == null) {
            throw withoutClient(declared);
        }
    }

    /** Refuses a lock that no call could acquire, because it may stay taken for longer than a failover grace allows. */
    void checkFitsTheGrace(DeclaredLock lock) {
        checkFitsTheGrace(lock, "lease time", lock.settings().leaseTime());
        checkFitsTheGrace(lock, "minimum hold", lock.settings().minHold());
    }

    private void checkFitsTheGrace(DeclaredLock lock, String what, @Nullable Duration time) {
        Duration grace = properties.getObject().failoverGrace();
        Duration longest = grace.multipliedBy(2).dividedBy(3);
        if (!grace.isZero() && time != null && time.compareTo(longest) > 0) {
            throw new LockStartupException(
                    "The " + what + " of the lock '" + lock.name() + "' on " + Declaration.signature(lock.method())
                            + " is " + LogText.time(time) + ", and holdfast.failover-grace of "
                            + LogText.time(grace)
                            + " allows two thirds of it. A longer one could outlive the grace.",
                    "Set it to at most " + LogText.time(longest)
                            + ", or holdfast.failover-grace to at least "
                            + LogText.time(time.multipliedBy(3).dividedBy(2))
                            + " for all applications of this Redis.",
                    null);
        }
    }

    /**
     * Refuses settings of locks that no annotation declares. Most likely the name is misspelled, and the setting would not work when needed.
     */
    void checkSettingsAreOfDeclaredLocks(Set<String> configured, DeclaredLocks declared) {
        List<String> unknown = configured.stream()
                .filter(name -> declared.names().stream().noneMatch(known -> LockProperties.isSame(name, known)))
                .map(LockProperties::propertyOf)
                .toList();
        if (unknown.isEmpty() || ignoresUnknownNames) {
            return;
        }
        String problem = "No @DistributedLock declares what is set under " + String.join(", ", unknown) + ". "
                + (declared.names().isEmpty()
                        ? "No bean declares any lock."
                        : "Declared names: " + String.join(", ", declared.names()) + ".");
        if (declared.beansOfUnknownClass().isEmpty()) {
            throw new LockStartupException(
                    problem,
                    "Correct the name or delete the setting. Put a name with characters other than letters, digits and"
                            + " dashes in brackets: holdfast.locks[orders:nightly]. A test that starts only a part of the"
                            + " application needs @AutoConfigureHoldfastTest.",
                    null);
        }
        LogFactory.getLog(LockDeclarationsCheck.class)
                .warn(problem + " Beans whose class is not known yet, and which may declare them: "
                        + String.join(", ", declared.beansOfUnknownClass()) + ".");
    }

    /** Refuses two names that are the same in the configuration, because they would share their settings. */
    private static void checkAreDistinct(DeclaredLocks declared) {
        Map<String, DeclaredLock> seen = new HashMap<>();
        for (DeclaredLock lock : declared.all()) {
            DeclaredLock other = seen.putIfAbsent(LockProperties.uniform(lock.name()), lock);
            if (other != null && !other.name().equals(lock.name())) {
                throw new LockStartupException(
                        "The lock '" + other.name() + "' on " + other.method() + " and the lock '" + lock.name()
                                + "' on " + lock.method()
                                + " have one name in the configuration, which ignores case and"
                                + " punctuation. Settings of one would apply to the other.",
                        "Rename one of them.",
                        null);
            }
        }
    }

    private LockStartupException withoutClient(DeclaredLocks declared) {
        long clients = client.stream().count();
        return new LockStartupException(
                "@DistributedLock declares " + String.join(", ", declared.names()) + ", and there "
                        + (clients == 0
                                ? "is no bean of type LockClient."
                                : "are " + clients + " beans of type LockClient, none of them primary."),
                clients == 0
                        ? "Define a RedisConnectionFactory, for which the starter creates a LockClient if Lettuce is on the"
                                + " class path, or define a bean of type RedisSource or LockClient. To run the methods"
                                + " without locks, set holdfast.enabled to false."
                        : "Mark the one that locks annotated methods as @Primary.",
                null);
    }
}
