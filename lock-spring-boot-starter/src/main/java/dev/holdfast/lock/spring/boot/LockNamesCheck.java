package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.interceptor.DeclaredLocks;
import dev.holdfast.lock.spring.interceptor.DeclaredLocksCheck;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Refuses settings of a lock that no annotation declares: most likely a slip of the pen, and the kill switch would not work when needed. */
final class LockNamesCheck implements DeclaredLocksCheck {

    private static final Log log = LogFactory.getLog(LockNamesCheck.class);

    private final LockProperties properties;

    LockNamesCheck(LockProperties properties) {
        this.properties = properties;
    }

    @Override
    public void check(DeclaredLocks declared) {
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
                            + " holdfast.locks[com.acme.Jobs.report()]. Where only a part of the application is started, as in a"
                            + " test, set holdfast.ignore-unknown-names to true.");
        }
        log.warn(problem + " Beans whose class is not known yet, and which may declare them: "
                + String.join(", ", declared.beansOfUnknownClass()) + ".");
    }
}
