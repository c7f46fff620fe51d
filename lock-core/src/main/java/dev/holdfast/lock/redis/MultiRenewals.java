package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.lease.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Renews a lease on several locks by one command: confirmed only where Redis names its owner for every one of them. */
final class MultiRenewals implements Renewals {

    private final List<String> locks;
    private final Script script;
    private final RedisGateway gateway;
    private final Ticker ticker;

    MultiRenewals(List<String> locks, Script script, RedisGateway gateway, Ticker ticker) {
        this.locks = locks;
        this.script = script;
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
        List<String> args = new ArrayList<>(2 * locks.size());
        for (int i = 0; i < locks.size(); i++) {
            args.add(grant.owner());
            args.add(Long.toString(TimeUnit.NANOSECONDS.toMillis(asked)));
        }
        long sentAt = ticker.now();
        gateway.run(script, locks, args).whenComplete((answers, failure) -> {
            if (failure != null) {
                report.failed(lease, failure);
            } else if (answers.stream().allMatch(answer -> (Long) answer == 1)) {
                report.confirmed(lease, sentAt, asked);
            } else {
                report.gone(lease);
            }
        });
    }
}
