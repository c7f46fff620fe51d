package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.reign.Grace;
import dev.holdfast.lock.internal.waiting.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Several plain locks in one slot with one owner. A single script acquires all of them or none. Each key has the same content as a key of {@link
 * PlainProtocol}, so the combined lock and a single lock of the same name exclude each other.
 */
public final class MultiProtocol extends LockProtocol {

    private final List<String> locks;

    public MultiProtocol(List<String> locks, RedisGateway gateway, LockKeys keys, int minReplicas, Grace grace) {
        super(KindTraits.SEVERAL_NAMES, gateway, keys, minReplicas, grace, Scripts.RENEW, Scripts.ASSERT);
        this.locks = List.copyOf(locks);
    }

    @Override
    public CompletionStage<Answer> acquire(AcquireRequest request) {
        List<String> args = request.arguments(request.owner());
        if (asserts) {
            args.add(grace.argument());
        }
        return ask(Scripts.SeveralNames.ACQUIRE, keys.withTokenKey(locks), args, request);
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
        List<String> args = new ArrayList<>(
                List.of(request.owner(), Long.toString(request.highestDrawn()), Long.toString(request.keepMillis())));
        if (asserts) {
            args.add(grace.argument());
        }
        return gateway.run(Scripts.SeveralNames.RELEASE, keys.withTokenKey(locks), args, LockProtocol::released);
    }

    @Override
    List<String> renewed(Grant grant) {
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
