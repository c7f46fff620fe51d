package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks at each grant that its holder may hold the lock together with the other holders. Applies only if Redis loses nothing. */
final class GrantChecks {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(5);

    private final World world;
    private final Checks checks;

    GrantChecks(World world, Checks checks) {
        this.world = world;
        this.checks = checks;
    }

    void granted(Hold granted) {
        if (granted.forced) {
            // The grant was on its way while the lock was released by force.
            return;
        }
        int permits = 0;
        List<Hold> kept = new ArrayList<>();
        for (Hold other : checks.holds) {
            if (!other.lock.sharesNameWith(granted.lock)) {
                continue;
            }
            permits += other.isRelied() && granted.lock.kind() != Kind.READ ? 1 : 0;
            if (!other.isRelied() && other.minHoldLeft(world.now()) > SOON) {
                kept.add(other);
            }
            if (!(granted.lock.kind().isShared() && other.lock.kind().isShared())) {
                compare(granted, other);
            }
        }
        if (granted.lock.permits() > 0 && permits >= granted.lock.permits() && granted.lease.isHeld()) {
            checks.fail("a semaphore grants no more than its number", granted.lock, granted.caller);
        } else if (granted.lock.permits() > 0
                && permits + kept.size() >= granted.lock.permits()
                && granted.lease.isHeld()) {
            checks.fail(
                    "a lock stays taken for its minimum hold",
                    granted.lock,
                    granted.caller + " gets a permit beside " + permits + ", and beside those kept for "
                            + kept.stream().map(hold -> hold.caller).toList());
        }
    }

    private void compare(Hold granted, Hold other) {
        if (granted.inside == other || other.forced) {
            return;
        }
        boolean relied = other.isRelied();
        if (relied && granted.lease.isHeld()) {
            checks.fail(
                    "one holder at a time",
                    granted.lock,
                    granted.caller + " has token " + granted.lease.fencingToken() + ", and " + other.caller
                            + " still has token " + other.lease.fencingToken());
        }
        boolean unreported = !other.releaseAsked
                && other.lossReports == 0
                && !relied
                && world.now() - other.overSince > LeaseChecks.REPORT_LIMIT;
        if (unreported && Trouble.ranSince(other.process, other.overSince)) {
            checks.fail("a loss is reported before another is granted the lock", granted.lock, other.caller);
        }
        long early = other.minHoldLeft(world.now());
        if (early > SOON && granted.lease.isHeld()) {
            checks.fail(
                    "a lock stays taken for its minimum hold",
                    granted.lock,
                    granted.caller + " gets it " + early / 1_000_000 + " ms too early");
        }
    }
}
