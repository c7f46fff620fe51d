package dev.holdfast.lock.internal.protocol;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.lease.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Renews many locks with few commands: up to a hundred to a script, in a cluster those of one slot. All commands of a pass leave at once and
 * each is answered on its own.
 */
public final class RenewalBatches implements Renewals {

    /** Larger scripts keep the server's one thread from others for too long. */
    private static final int LARGEST = 100;

    private static final int NO_SLOT = -1;

    private final LockProtocol protocol;
    private final Script script;
    private final RedisGateway gateway;
    private final Ticker ticker;

    public RenewalBatches(LockProtocol protocol, RedisGateway gateway, Ticker ticker) {
        this.protocol = protocol;
        this.script = protocol.renewal();
        this.gateway = gateway;
        this.ticker = ticker;
    }

    @Override
    public void renew(List<HeldLease> due, Report report) {
        Map<Integer, List<HeldLease>> slots = due.stream().collect(Collectors.groupingBy(this::slotOf));
        // A lease on several locks has a key for each of them.
        int largest = protocol.hasParts() ? 1 : LARGEST;
        for (List<HeldLease> leases : slots.values()) {
            for (int from = 0; from < leases.size(); from += largest) {
                send(leases.subList(from, Math.min(from + largest, leases.size())), report);
            }
        }
    }

    private int slotOf(HeldLease lease) {
        return gateway.isCluster() ? RedisGateway.slotOf(lease.grant().key()) : NO_SLOT;
    }

    private void send(List<HeldLease> batch, Report report) {
        List<String> keys = new ArrayList<>(batch.size());
        List<String> args = new ArrayList<>(3 * batch.size());
        // Kept for the answer: a nested hold may ask for longer renewals meanwhile.
        long[] asked = new long[batch.size()];
        for (int i = 0; i < asked.length; i++) {
            Grant grant = batch.get(i).grant();
            asked[i] = batch.get(i).renewalNanos();
            keys.addAll(protocol.renewed(grant));
            args.addAll(protocol.renewal(grant, TimeUnit.NANOSECONDS.toMillis(asked[i])));
        }
        long sentAt = ticker.now();
        gateway.run(script, keys, args).whenComplete((answers, failure) -> {
            int each = failure == null ? answers.size() / batch.size() : 0;
            for (int i = 0; i < batch.size(); i++) {
                if (failure != null) {
                    report.failed(batch.get(i), failure);
                } else if (areYes(answers.subList(i * each, (i + 1) * each))) {
                    report.confirmed(batch.get(i), sentAt, asked[i]);
                } else {
                    report.gone(batch.get(i));
                }
            }
        });
    }

    /** A lease is confirmed only where Redis names its owner for every one of its keys. */
    private static boolean areYes(List<Object> answers) {
        for (Object answer : answers) {
            if ((Long) answer != 1) {
                return false;
            }
        }
        return true;
    }
}
