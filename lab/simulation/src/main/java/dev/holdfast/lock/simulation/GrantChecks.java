package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.LockSpec.Kind;
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
        int permits = 0;
        for (Hold other : checks.holds) {
            if (!other.lock.sharesNameWith(granted.lock)) {
                continue;
            }
            permits += other.isRelied() && granted.lock.kind() != Kind.READ ? 1 : 0;
            if (!(granted.lock.kind().isShared() && other.lock.kind().isShared())) {
                compare(granted, other);
            }
        }
        if (granted.lock.permits() > 0 && permits >= granted.lock.permits() && granted.lease.isHeld()) {
            checks.fail("a semaphore grants no more than its number", granted.lock, granted.caller);
        }
    }

    private void compare(Hold granted, Hold other) {
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
        long early = other.minHoldEnd - world.now();
        if (early > SOON
                && !other.process.dead
                && !other.lock.kind().isComposite()
                && granted.lease.isHeld()
                && other.lossReports == 0
                && !(other.isKeptByRelease && !other.settled && other.longestEnd < world.now())) {
            checks.fail(
                    "a lock stays taken for its minimum hold",
                    granted.lock,
                    granted.caller + " gets it " + early / 1_000_000 + " ms too early");
        }
    }
}
