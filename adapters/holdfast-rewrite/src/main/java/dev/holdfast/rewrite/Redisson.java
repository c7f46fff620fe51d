package dev.holdfast.rewrite;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** The names of Redisson's API of locks. */
final class Redisson {

    static final String LOCK = "org.redisson.api.RLock";
    static final String READ_WRITE_LOCK = "org.redisson.api.RReadWriteLock";

    static final Set<String> CLIENTS = Set.of("org.redisson.api.RedissonClient", "org.redisson.Redisson");

    /** The methods of a client that return a lock, also those of which Holdfast has no counterpart. */
    private static final Set<String> LOCKS = Set.of(
            "getLock",
            "getFairLock",
            "getReadWriteLock",
            "getMultiLock",
            "getSpinLock",
            "getFencedLock",
            "getRedLock",
            "getNonReentrantLock",
            "getNonReentrantFairLock");

    private static final Set<String> BY_NAME = Set.of("getLock", "getFairLock", "getReadWriteLock");

    private Redisson() {}

    static boolean isClient(@Nullable JavaType type) {
        return type instanceof JavaType.FullyQualified named && CLIENTS.contains(named.getFullyQualifiedName());
    }

    static boolean isLock(@Nullable JavaType type) {
        return TypeUtils.isAssignableTo(LOCK, type) || TypeUtils.isOfClassType(type, READ_WRITE_LOCK);
    }

    /** {@return whether a name refers to a variable that holds a client} */
    static boolean isClientVariable(J.Identifier name) {
        return name.getFieldType() != null && isClient(name.getType());
    }

    /** {@return whether an expression is a variable that holds a client: {@code redisson} or {@code this.redisson}} */
    static boolean isClientVariable(@Nullable Expression expression) {
        if (expression instanceof J.FieldAccess access) {
            return access.getTarget() instanceof J.Identifier target
                    && target.getSimpleName().equals("this")
                    && isClientVariable(access.getName());
        }
        return expression instanceof J.Identifier name && isClientVariable(name);
    }

    static boolean getsAnyLock(J.MethodInvocation call) {
        return call.getSelect() != null && isClient(call.getSelect().getType()) && LOCKS.contains(call.getSimpleName());
    }

    /** {@return whether a call gets a lock that Holdfast has too} */
    static boolean getsLock(J.MethodInvocation call) {
        return getsLockByName(call) || getsMultiLock(call);
    }

    private static boolean getsLockByName(J.MethodInvocation call) {
        return getsAnyLock(call)
                && BY_NAME.contains(call.getSimpleName())
                && call.getArguments().size() == 1
                && TypeUtils.isString(call.getArguments().get(0).getType());
    }

    /** Only plain locks by their names: the others exclude nobody who knows a single name. */
    static boolean getsMultiLock(J.MethodInvocation call) {
        return getsAnyLock(call)
                && call.getSimpleName().equals("getMultiLock")
                && call.getArguments().stream()
                        .allMatch(each -> each instanceof J.MethodInvocation part
                                && part.getSimpleName().equals("getLock")
                                && getsLockByName(part));
    }
}
