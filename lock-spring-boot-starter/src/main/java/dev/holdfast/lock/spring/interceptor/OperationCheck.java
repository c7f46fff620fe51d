package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks.DeclaredLock;
import java.lang.reflect.Method;
import java.util.Collection;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Checks that a lock, its policies and the result of its method fit together. */
record OperationCheck(LockOperation operation, LockedMethod locked) {

    void check(Collection<DeclaredLock> others) {
        checkSkip();
        if (operation.once() != null) {
            checkOnce(operation.once());
        }
        if (operation.settings().onLost() == OnLost.INTERRUPT
                && !locked.results().staysOnThread()) {
            throw invalid(
                    "a loss cannot interrupt a body that has left its thread", "Use 'onLost = THROW' or 'REPORT'");
        }
        for (DeclaredLock other : others) {
            checkOnlyRun(other);
            checkKind(other);
            checkName(other);
        }
    }

    private void checkOnce(Once once) {
        if (locked.operations().size() > 1) {
            throw invalid(
                    once.attribute()
                            + " does not go with other locks of the same method: one that is busy would use the run up",
                    "Take the other lock in the method, or in a method that it calls");
        }
        if (once.needsWaiters() && !operation.waits()) {
            throw invalid(
                    "'onFailure = RETRY' needs instances that wait: the others skip the run while it is going on, and"
                            + " nobody is left when it fails",
                    "Give 'waitTime' the time that a run takes, or leave 'onFailure' out");
        }
    }

    /** Refuses a skip if the method has no empty result to return. */
    private void checkSkip() {
        boolean skips = operation.once() != null
                || operation.skipsBusy()
                || (operation.settings().isPausable() && operation.skipsPaused())
                || operation.settings().onUnavailable() == OnUnavailable.SKIP;
        if (skips && makesBean(locked.method())) {
            throw invalid(
                    "a skipped call would make no bean",
                    operation.once() == null
                            ? "Use THROW or PROCEED, or a fallback that makes one"
                            : "Put the annotation on the method that does the work");
        }
        if (skips && !locked.results().canSkip()) {
            Method method = locked.method();
            Class<?> type =
                    DeclaredResult.of(method, method.getDeclaringClass()).raw();
            throw invalid(
                    "a skipped call has nothing to return as " + type.getName(),
                    "Return void, an object, an Optional or a common collection, or do not skip");
        }
    }

    private static boolean makesBean(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class)
                || (method.getName().equals("getObject")
                        && FactoryBean.class.isAssignableFrom(method.getDeclaringClass()));
    }

    /** Refuses two methods that share a record, because the run of one would count for the other. */
    private void checkOnlyRun(DeclaredLock other) {
        Once once = operation.once();
        if (once != null
                && other.runsOnce()
                && other.name().equals(operation.name())
                && !other.method().equals(operation.method())) {
            throw invalid(
                    once.attribute() + " needs a name of its own, and the lock '" + operation.name()
                            + "' is also that of " + Declaration.signature(other.method())
                            + ", which would count as its run",
                    "Rename one of them");
        }
    }

    private void checkKind(DeclaredLock other) {
        if (other.name().equals(operation.name()) && side(other.kind()) != side(operation.kind())) {
            throw invalid(
                    "the lock '" + operation.name() + "' is " + operation.kind() + " here and " + other.kind() + " on "
                            + Declaration.signature(other.method()),
                    "One name is one kind of lock: rename one of them");
        }
    }

    /**
     * Refuses two declarations whose locks could have the same name. Keys may contain colons, so the lock {@code a} with the key {@code b:c} is the
     * lock {@code a:b} with the key {@code c}.
     */
    private void checkName(DeclaredLock other) {
        if ((operation.key() != null && other.name().startsWith(operation.name() + ":"))
                || (other.key() != null && operation.name().startsWith(other.name() + ":"))) {
            throw invalid(
                    "the lock '" + operation.name() + "' here and the lock '" + other.name() + "' on "
                            + Declaration.signature(other.method()) + " can have the same name in Redis",
                    "Rename one of them: no lock's name may begin with the name of a lock with a key and a colon");
        }
    }

    private static LockKind side(LockKind kind) {
        return kind == LockKind.READ ? LockKind.WRITE : kind;
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return Declaration.invalid(operation.method(), problem, action);
    }
}
