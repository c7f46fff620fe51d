package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Checks that a holder that is asked to stop is told in time, and that no later holder is. */
final class StopChecks {

    private static final Set<Kind> WITH_TOKEN = EnumSet.of(Kind.PLAIN, Kind.FAIR, Kind.NAMES);
    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(300);

    private final World world;
    private final Checks checks;
    /** When the holder of a grant was last asked, by the number that was drawn for the grant. */
    private final Map<Long, Long> requests = new HashMap<>();
    /** When a holder of a grant last released it. */
    private final Map<Long, Long> releases = new HashMap<>();

    StopChecks(World world, Checks checks) {
        this.world = world;
        this.checks = checks;
    }

    /** Called when Redis has noted a request. */
    void requested(long token) {
        world.history.add(world.now(), "redis", "notes a request to stop", "", token);
        requests.put(TokenChecks.drawn(token), world.now());
    }

    void released(Hold hold) {
        releases.put(drawn(hold), world.now());
    }

    void watch(Hold hold) {
        if (WITH_TOKEN.contains(hold.lock.kind())) {
            hold.lease.onStopRequested(() -> told(hold));
        }
    }

    private void told(Hold hold) {
        long asked = requests.getOrDefault(drawn(hold), Long.MIN_VALUE);
        world.history.add(world.now(), hold.caller, "is told to stop", hold.lock.label(), hold.lease.fencingToken());
        // While it holds the lock, the last release of the grant is that of a holder before.
        long before = hold.releaseAsked ? Long.MIN_VALUE : releases.getOrDefault(drawn(hold), Long.MIN_VALUE);
        if (asked == Long.MIN_VALUE || asked < before) {
            checks.fail("who was not asked to stop is not told", hold.lock, hold.caller);
        }
        if (hold.told++ > 0) {
            checks.fail("who was not asked to stop is not told", hold.lock, hold.caller + " was told twice");
        }
    }

    /** Checks in rounds that holders with renewed leases were told. */
    void look() {
        checks.holds.forEach(this::look);
    }

    private void look(Hold hold) {
        Long asked = requests.get(drawn(hold));
        if (asked == null
                || !hold.isRenewed
                || !hold.isRelied()
                || hold.told > 0
                || !WITH_TOKEN.contains(hold.lock.kind())
                || (!FencingTokens.isFirst(hold.lease.fencingToken()) && asked - hold.grantedAt < QUICK)) {
            return;
        }
        long limit = hold.instance.watchdogNanos() / 3 + QUICK;
        if (world.now() - asked > limit && checks.trouble.isWell(hold.instance, world.now() - asked)) {
            checks.fail("who is asked to stop is told at the next renewal", hold.lock, hold.caller);
        }
    }

    private static long drawn(Hold hold) {
        return TokenChecks.drawn(hold.lease.fencingToken());
    }
}
