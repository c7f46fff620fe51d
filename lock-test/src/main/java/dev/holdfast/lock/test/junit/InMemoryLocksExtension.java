package dev.holdfast.lock.test.junit;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.test.LeftLocks;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The JUnit extension behind {@link HoldfastTest}. */
public final class InMemoryLocksExtension implements ParameterResolver, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(InMemoryLocksExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return (type == InMemoryLockClient.class || type == LockClient.class)
                && context.getTestMethod().isPresent();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        InMemoryLockClient.class, type -> InMemoryLockClient.create(), InMemoryLockClient.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        InMemoryLockClient locks =
                context.getStore(NAMESPACE).remove(InMemoryLockClient.class, InMemoryLockClient.class);
        if (locks != null) {
            try {
                LeftLocks.check(locks);
            } finally {
                locks.close();
            }
        }
    }
}
