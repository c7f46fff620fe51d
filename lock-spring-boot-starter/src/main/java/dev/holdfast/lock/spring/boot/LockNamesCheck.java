package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.interceptor.DeclaredLocks;
import dev.holdfast.lock.spring.interceptor.DeclaredLocksCheck;
import java.util.List;

/** Refuses settings of a lock that no annotation declares: most likely a slip of the pen, and the kill switch would not work when needed. */
final class LockNamesCheck implements DeclaredLocksCheck {

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
        if (!unknown.isEmpty()) {
            throw new UnknownLockNamesException(
                    unknown.stream().map(PropertyLockSettings::propertyOf).toList(), declared.names());
        }
    }
}
