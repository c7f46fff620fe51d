package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.lease.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Renews a lease on several locks by one command: confirmed only where Redis names its owner for every one of them. */
public final class MultiRenewals implements Renewals {

    private final List<String> locks;
    private final LockProtocol protocol;
    private final RedisGateway gateway;
    private final Ticker ticker;

    public MultiRenewals(List<String> locks, LockProtocol protocol, RedisGateway gateway, Ticker ticker) {
        this.locks = locks;
        this.protocol = protocol;
        this.gateway = gateway;
        this.ticker = ticker;
    }

    @Override
    public void renew(List<HeldLease> due, Report report) {
        due.forEach(lease -> renew(lease, report));
    }

    private void renew(HeldLease lease, Report report) {
        Grant grant = lease.grant();
        // Kept for the answer: a nested hold may ask for longer renewals meanwhile.
        long asked = lease.renewalNanos();
        List<String> one = protocol.renewal(grant, TimeUnit.NANOSECONDS.toMillis(asked));
        List<String> args = new ArrayList<>(one.size() * locks.size());
        locks.forEach(lock -> args.addAll(one));
        long sentAt = ticker.now();
        gateway.run(protocol.renewal(), locks, args).whenComplete((answers, failure) -> {
            if (failure != null) {
                report.failed(lease, failure);
            } else if (answers.size() == locks.size() && answers.stream().allMatch(answer -> (Long) answer == 1)) {
                report.confirmed(lease, sentAt, asked);
            } else {
                report.gone(lease);
            }
        });
    }
}
