package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Refuses to start without a client that can acquire the declared locks: each call of their methods would fail. */
final class LockClientCheck implements DeclaredLocks.Check {

    private final ObjectProvider<LockClient> client;

    LockClientCheck(ObjectProvider<LockClient> client) {
        this.client = client;
    }

    @Override
    public void check(DeclaredLocks declared) {
        List<LockClient> clients = client.stream().toList();
        if (!declared.names().isEmpty() && client.getIfUnique() == null) {
            throw new LockStartupException(
                    "@DistributedLock declares " + String.join(", ", declared.names()) + ", and there "
                            + (clients.isEmpty()
                                    ? "is no bean of type LockClient."
                                    : "are " + clients.size() + " beans of type LockClient, none of them primary."),
                    clients.isEmpty()
                            ? "The starter makes one where it finds a RedisConnectionFactory, with Lettuce on the class path: let"
                                    + " DataRedisAutoConfiguration make the factory, or define one. Or define a bean of type"
                                    + " RedisSource or LockClient. To run the methods without locks, set holdfast.enabled to false."
                            : "Mark the one that locks annotated methods as @Primary.");
        }
    }
}
