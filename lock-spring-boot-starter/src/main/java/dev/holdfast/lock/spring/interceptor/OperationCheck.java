package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.concurrent.Future;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** Whether a lock, its policies and its method go together. */
final class OperationCheck {

    private final LockOperation operation;
    private final LockedMethod guarded;

    private OperationCheck(LockOperation operation, LockedMethod guarded) {
        this.operation = operation;
        this.guarded = guarded;
    }

    static void check(LockOperation operation, LockedMethod guarded, Collection<DeclaredLock> others) {
        OperationCheck check = new OperationCheck(operation, guarded);
        check.resultCanBeGuarded();
        check.skippedCallHasAResult();
        check.lossCanInterrupt();
        check.kindIsThatOfTheOthers(others);
        check.nameIsDistinct(others);
    }

    /** Work that continues after the method has returned would run without the lock. */
    private void resultCanBeGuarded() {
        Method method = guarded.method();
        Class<?> type = UnguardedResults.workOf(method);
        boolean isAsync = Future.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
        boolean onWorker = AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
        if (isAsync && !onWorker && guarded.results() instanceof ImmediateResults) {
            throw invalid(
                    "the lock would be released before the work behind a " + type.getName() + " is done",
                    "Return a CompletionStage, or use the LockClient in the method");
        }
    }

    private void skippedCallHasAResult() {
        boolean skips = (operation.skipsBusy() && operation.fallback() == null)
                || operation.terms().onUnavailable() == OnUnavailable.SKIP;
        if (skips && !guarded.results().canSkip()) {
            throw invalid(
                    "a call that is left out has nothing to return as "
                            + guarded.method().getReturnType().getName(),
                    "Return void, an object, an Optional or a common collection, or do not skip");
        }
    }

    private void lossCanInterrupt() {
        if (operation.terms().onLost() == OnLost.INTERRUPT && !guarded.results().staysOnThread()) {
            throw invalid(
                    "a loss cannot interrupt a body that has left its thread", "Use 'onLost = THROW' or 'REPORT'");
        }
    }

    private void kindIsThatOfTheOthers(Collection<DeclaredLock> others) {
        for (DeclaredLock other : others) {
            if (other.name().equals(operation.name()) && side(other.kind()) != side(operation.kind())) {
                throw invalid(
                        "the lock '" + operation.name() + "' is " + operation.kind() + " here and " + other.kind()
                                + " on " + Signatures.of(other.method()),
                        "One name is one kind of lock: rename one of them");
            }
        }
    }

    /** Keys may contain colons, so the lock {@code a} with the key {@code b:c} is the lock {@code a:b} with the key {@code c}. */
    private void nameIsDistinct(Collection<DeclaredLock> others) {
        for (DeclaredLock other : others) {
            if ((operation.key() != null && other.name().startsWith(operation.name() + ":"))
                    || (other.key() != null && operation.name().startsWith(other.name() + ":"))) {
                throw invalid(
                        "the lock '" + operation.name() + "' here and the lock '" + other.name() + "' on "
                                + Signatures.of(other.method()) + " can have the same name in Redis",
                        "Rename one of them: the name of a lock with a key, followed by a colon, must not begin the name"
                                + " of another lock");
            }
        }
    }

    private static LockKind side(LockKind kind) {
        return kind == LockKind.READ ? LockKind.WRITE : kind;
    }

    private InvalidLockDeclarationException invalid(String problem, String action) {
        return new InvalidLockDeclarationException(Signatures.of(operation.method()), problem, action);
    }
}
