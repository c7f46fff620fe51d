package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks;
import dev.holdfast.lock.spring.interceptor.DeclaredLocksCheck;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Refuses to start with locks that nothing could take: their methods would fail at each call. */
final class LockClientCheck implements DeclaredLocksCheck {

    private final ObjectProvider<LockClient> client;

    LockClientCheck(ObjectProvider<LockClient> client) {
        this.client = client;
    }

    @Override
    public void check(DeclaredLocks declared) {
        List<LockClient> clients = client.stream().toList();
        if (!declared.names().isEmpty() && client.getIfUnique() == null) {
            throw new NoLockClientException(clients.size(), declared.names());
        }
    }
}
