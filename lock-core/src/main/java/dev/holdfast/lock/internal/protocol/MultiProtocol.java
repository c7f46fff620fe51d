package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.reign.Grace;
import java.util.List;

/**
 * Several plain locks in one slot with one owner. A single script acquires all of them or none. Each key has the same content as a key of {@link
 * PlainProtocol}, so the combined lock and a single lock of the same name exclude each other.
 */
public final class MultiProtocol extends LockProtocol {

    private final List<String> locks;

    public MultiProtocol(List<String> locks, RedisGateway gateway, LockKeys keys, int minReplicas, Grace grace) {
        super(
                LockKind.REENTRANT,
                new Family(Scripts.SeveralNames.ACQUIRE, Scripts.SeveralNames.RELEASE, Scripts.RENEW, Scripts.ASSERT),
                gateway,
                keys,
                minReplicas,
                grace);
        this.locks = List.copyOf(locks);
    }

    @Override
    List<String> arguments(AcquireRequest request) {
        return withGrace(request.arguments(request.owner()));
    }

    @Override
    List<String> arguments(String owner, String seen, long keepMillis) {
        return withGrace(List.of(owner, seen, Long.toString(keepMillis)));
    }

    @Override
    public boolean hasMembers() {
        return true;
    }

    @Override
    List<String> locks(String key) {
        return locks;
    }

    @Override
    public List<String> renewal(Grant grant, long leaseMillis) {
        List<String> one = super.renewal(grant, leaseMillis);
        return locks.stream().flatMap(lock -> one.stream()).toList();
    }

    @Override
    public String wakePrefix(String key) {
        return keys.wakePrefix(locks.get(0));
    }
}
