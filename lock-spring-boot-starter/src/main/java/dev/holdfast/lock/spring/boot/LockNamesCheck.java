package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.interceptor.DeclaredLocks;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks.DeclaredLock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Checks that settings reach the locks that they are meant for. A setting of a lock that no annotation declares is most likely a spelling
 * mistake, and its kill switch would not work when it is needed. Two names that the configuration cannot tell apart would share their settings.
 */
final class LockNamesCheck implements DeclaredLocks.Check {

    private static final Log log = LogFactory.getLog(LockNamesCheck.class);

    private final LockProperties properties;

    LockNamesCheck(LockProperties properties) {
        this.properties = properties;
    }

    @Override
    public void check(DeclaredLocks declared) {
        checkAreDistinct(declared);
        if (properties.ignoreUnknownNames()) {
            return;
        }
        List<String> unknown = properties.locks().keySet().stream()
                .filter(name -> declared.names().stream().noneMatch(known -> PropertyLockSettings.isSame(name, known)))
                .toList();
        if (unknown.isEmpty()) {
            return;
        }
        String problem = "No @DistributedLock declares what is set under "
                + String.join(
                        ", ",
                        unknown.stream().map(PropertyLockSettings::propertyOf).toList())
                + ". "
                + (declared.names().isEmpty()
                        ? "No bean declares any lock."
                        : "Declared names: " + String.join(", ", declared.names()) + ".");
        if (declared.beansOfUnknownClass().isEmpty()) {
            throw new LockStartupException(
                    problem,
                    "Correct the name or delete the setting. Put a name with characters other than letters, digits and dashes in brackets:"
                            + " holdfast.locks[orders:nightly]. Where only a part of the application is started, as in a"
                            + " test, set holdfast.ignore-unknown-names to true.");
        }
        log.warn(problem + " Beans whose class is not known yet, and which may declare them: "
                + String.join(", ", declared.beansOfUnknownClass()) + ".");
    }

    private static void checkAreDistinct(DeclaredLocks declared) {
        Map<String, DeclaredLock> seen = new HashMap<>();
        for (DeclaredLock lock : declared.all()) {
            DeclaredLock other = seen.putIfAbsent(PropertyLockSettings.uniform(lock.name()), lock);
            if (other != null && !other.name().equals(lock.name())) {
                throw new LockStartupException(
                        "The lock '" + other.name() + "' on " + other.method() + " and the lock '" + lock.name()
                                + "' on "
                                + lock.method()
                                + " have one name in the configuration, which ignores case and punctuation."
                                + " Settings of one would apply to the other.",
                        "Rename one of them.");
            }
        }
    }
}
