package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A client whose locks are always free and cost nothing: what is left to measure is the way to them. */
final class FreeLocks {

    private static final Lease LEASE = new FreeLease();

    private static final LeaseLock LOCK = stub(LeaseLock.class, Map.of("acquire", LEASE));

    private FreeLocks() {}

    static LockClient client() {
        return stub(LockClient.class, Map.of("getLock", LOCK));
    }

    private static <T> T stub(Class<T> type, Map<String, Object> answers) {
        // Spring keeps beans in maps.
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            default -> answers.get(method.getName());
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private record FreeLease() implements Lease {

        @Override
        public String lockName() {
            return "free";
        }

        @Override
        public long fencingToken() {
            return 1;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public Duration remaining() {
            return AcquireOptions.MAX_LEASE;
        }

        @Override
        public boolean verify() {
            return true;
        }

        @Override
        public void extend(Duration lease) {}

        @Override
        public void minHold(Duration minHold) {}

        @Override
        public void maxHold(Duration maxHold) {}

        @Override
        public void onLost(Consumer<LeaseLoss> callback) {}

        @Override
        public CompletionStage<Void> releaseAsync() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {}
    }
}
