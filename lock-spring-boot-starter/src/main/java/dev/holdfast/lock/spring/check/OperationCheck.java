package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.call.DeclaredResult;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.call.LockedMethod;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Checks that a lock, its policies and the result of its method fit together. */
record OperationCheck(LockedMethod locked, LockedOperation lock) {

    static void check(LockedMethod method, Collection<DeclaredLock> others) {
        for (LockedOperation lock : method.locks()) {
            new OperationCheck(method, lock).check(others);
        }
    }

    private void check(Collection<DeclaredLock> others) {
        checkSkip();
        List<LockOperation> ofMethod = new ArrayList<>();
        for (LockedOperation each : locked.locks()) {
            ofMethod.add(each.operation());
        }
        for (LockFeature feature : lock.features()) {
            feature.check(ofMethod, others);
        }
        if (operation().settings().onLost() == OnLost.INTERRUPT && !locked.staysOnThread()) {
            throw invalid(
                    "a loss cannot interrupt a body that has left its thread", "Use 'onLost = THROW' or 'REPORT'");
        }
        for (DeclaredLock other : others) {
            checkKind(other);
            checkName(other);
        }
    }

    /** Refuses a skip if the method has no empty result to return. */
    private void checkSkip() {
        boolean skips = lock.features().stream().anyMatch(LockFeature::skips)
                || operation().skipsBusy()
                || operation().settings().onUnavailable() == OnUnavailable.SKIP;
        if (skips && makesBean(locked.method())) {
            throw invalid(
                    "a skipped call would make no bean",
                    lock.features().stream().allMatch(feature -> feature.ownsName() == null)
                            ? "Use THROW or PROCEED, or a fallback that makes one"
                            : "Put the annotation on the method that does the work");
        }
        if (skips && !locked.canSkip()) {
            Method method = locked.method();
            Class<?> type =
                    DeclaredResult.of(method, method.getDeclaringClass()).raw();
            throw invalid(
                    "a skipped call has nothing to return as " + type.getName(),
                    "Return void, an object, an Optional or a common collection, or do not skip");
        }
    }

    private LockOperation operation() {
        return lock.operation();
    }

    private static boolean makesBean(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                || (method.getName().equals("getObject")
                        && FactoryBean.class.isAssignableFrom(method.getDeclaringClass()));
    }

    private void checkKind(DeclaredLock other) {
        if (other.name().equals(operation().name())
                && side(other.kind()) != side(operation().kind())) {
            throw invalid(
                    "the lock '" + operation().name() + "' is " + operation().kind() + " here and " + other.kind()
                            + " on " + Declaration.signature(other.method()),
                    "One name is one kind of lock: rename one of them");
        }
    }

    /**
     * Refuses two declarations whose locks could have the same name. Keys may contain colons, so the lock {@code a} with the key {@code b:c} is the
     * lock {@code a:b} with the key {@code c}.
     */
    private void checkName(DeclaredLock other) {
        if ((operation().key() != null && other.name().startsWith(operation().name() + ":"))
                || (other.key() != null && operation().name().startsWith(other.name() + ":"))) {
            throw invalid(
                    "the lock '" + operation().name() + "' here and the lock '" + other.name() + "' on "
                            + Declaration.signature(other.method()) + " can have the same name in Redis",
                    "Rename one of them: no lock's name may begin with the name of a lock with a key and a colon");
        }
    }

    private static LockKind side(LockKind kind) {
        return kind == LockKind.READ ? LockKind.WRITE : kind;
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return Declaration.invalid(operation().method(), problem, action);
    }
}
