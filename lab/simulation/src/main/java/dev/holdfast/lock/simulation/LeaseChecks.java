package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import dev.holdfast.lock.simulation.Plan.Profile;
import dev.holdfast.lock.simulation.Plan.Step;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks that a lease has its full length, and that its holder learns of a loss in time. */
final class LeaseChecks {

    static final long REPORT_LIMIT = TimeUnit.MILLISECONDS.toNanos(100);
    /** The time for a request and its answer in a calm network. */
    private static final long ON_ITS_WAY = TimeUnit.MILLISECONDS.toNanos(150);

    /** The time after which a lease that a release granted for a short time has been renewed. */
    static final long SETTLED = TimeUnit.SECONDS.toNanos(2);

    /** By how much a clock's drift may make a lease longer. */
    private static final long LONGER = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(8);

    private final World world;
    private final Profile profile;
    private final Checks checks;

    LeaseChecks(World world, Profile profile, Checks checks) {
        this.world = world;
        this.profile = profile;
        this.checks = checks;
    }

    /**
     * Checks that a lease has its full length, also if it was handed over or granted by a release. A lease that was released by force before it
     * reached its caller has no such length.
     */
    void granted(Step step, Hold hold) {
        long most = step.leaseMillis() > 0
                ? TimeUnit.MILLISECONDS.toNanos(step.leaseMillis())
                : hold.instance.watchdogNanos();
        // A grant that a release made, or that is handed over, may be up to twice as long as the lease that its next
        // holder wants, also where that
        // one does not wait: it may come while its client has a request under way.
        lookWhetherTooLong(hold, 2 * most);
        boolean fixed = step.leaseMillis() > 0 && step.maxHoldMillis() == 0;
        long least = TimeUnit.MILLISECONDS.toNanos(step.leaseMillis()) * 19 / 20 - ON_ITS_WAY;
        if (fixed
                && !hold.forced
                && !hold.lock.kind().isComposite()
                && hold.lease.remaining().toNanos() < least
                && !hold.instance.isClosing
                && checks.trouble.isWell(hold.instance, 0)) {
            checks.fail(
                    "a lease is as long as was asked for",
                    hold.lock,
                    hold.caller + " has " + hold.lease.remaining().toMillis() + " of " + step.leaseMillis() + " ms");
        }
    }

    /** Checks that a holder does not rely on more time than it asked for. */
    void lookWhetherTooLong(Hold hold, long mostNanos) {
        if (hold.lease.remaining().toNanos() > mostNanos + LONGER) {
            checks.fail(
                    "a lease is not longer than was asked for",
                    hold.lock,
                    hold.caller + " has " + hold.lease.remaining().toMillis() + " of " + mostNanos / 1_000_000 + " ms");
        }
    }

    void verified(Hold hold, boolean held) {
        if (!held
                && hold.isBelieved()
                && !hold.forced
                && profile.isSound()
                && !hold.lock.kind().isComposite()) {
            checks.fail("a held lease is confirmed", hold.lock, hold.caller);
        }
    }

    void released(Hold hold, @Nullable Throwable thrown) {
        hold.answeredAt = world.now();
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (failure == null) {
            hold.released = true;
            if (hold.lossReports > 0) {
                checks.fail("a lease is released or lost", hold.lock, hold.caller + " was told of both");
            }
        } else if (!(failure instanceof LeaseLostException lost)) {
            checks.fail("a release says that the lease was lost, or nothing", hold.lock, hold.caller + " " + failure);
        } else if (profile == Profile.CALM
                && !hold.forced
                && hold.lossReports == 0
                && hold.lock.kind() != Kind.QUORUM
                && lost.loss().cause() == LossCause.GONE) {
            checks.fail("nothing is lost where nothing goes wrong", hold.lock, hold.caller);
        }
    }

    void lossReported(Hold hold, LeaseLoss loss) {
        hold.lossReports++;
        checks.counts.losses++;
        if (hold.lossReports > 1) {
            checks.fail("a loss is reported once", hold.lock, hold.caller);
        }
        if (hold.released) {
            checks.fail("a lease is released or lost", hold.lock, hold.caller + " was told of both");
        }
        hold.lossCause = loss.cause();
        if (hold.isRenewed) {
            hold.longestEnd = Math.max(hold.longestEnd, world.now() + hold.instance.watchdogNanos());
        }
        if (loss.cause() == LossCause.UNCONFIRMED && hold.isRenewed) {
            checkRenewal(hold);
        }
        if (loss.cause() == LossCause.GONE && profile.excludes() && !hold.forced) {
            checks.fail(
                    "Redis keeps what is held",
                    hold.lock,
                    hold.caller + " loses a lease that Redis had no reason to forget");
        }
    }

    /**
     * Checks a renewed lease that has ended without a confirmation. At the last moment at which the client and Redis were well, the latest renewal was
     * at most a third of the lease old. If Redis lost its data while it had only the first lease of a grant by a release, it does not prolong that
     * lease before the former master has stopped.
     */
    private void checkRenewal(Hold hold) {
        long lastWell = checks.trouble.lastWell(hold.instance);
        long since = world.now() - lastWell;
        if (lastWell > hold.settledAt
                && since < hold.instance.watchdogNanos() / 2
                && !checks.trouble.hasLostBetween(hold.grantedAt, hold.settledAt)) {
            checks.fail(
                    since == 0
                            ? "a renewed lease is not lost while its client and Redis are well"
                            : "a renewed lease outlives a short outage",
                    hold.lock,
                    hold.caller + " lost it, " + since / 1_000_000 + " ms after all was well");
        }
    }

    /** Checks in rounds that a loss is reported soon after a lease has ended. */
    void look() {
        for (int i = checks.holds.size() - 1; i >= 0; i--) {
            if (look(checks.holds.get(i))) {
                checks.holds.remove(i);
            }
        }
    }

    /** Checks one hold. Returns true if the checks can forget it. */
    private boolean look(Hold hold) {
        long now = world.now();
        if (now - REPORT_LIMIT > hold.maxHoldEnd && hold.isBelieved() && !hold.process.isPaused()) {
            checks.fail("a maximum hold ends the lease", hold.lock, hold.caller);
        }
        if (hold.process.dead || (hold.releaseAsked && hold.isSettled() && now > hold.minHoldEnd)) {
            // Redis may keep a lost lease a little longer than its holder.
            return now > hold.minHoldEnd && (now > hold.longestEnd || (hold.isSettled() && hold.lossReports == 0));
        }
        if (hold.releaseAsked || hold.lossReports > 0 || hold.lease.isHeld()) {
            if (hold.lossReports > 0 && hold.overSince == Long.MAX_VALUE) {
                hold.overSince = now;
            }
            return hold.lossReports > 0 && !hold.releaseAsked && now - hold.overSince > REMEMBERED;
        }
        if (hold.overSince == Long.MAX_VALUE) {
            hold.overSince = now;
        } else if (now - hold.overSince > REPORT_LIMIT
                && Trouble.ranSince(hold.process, hold.overSince)
                && !(hold.lock.kind().isComposite() && !hold.instance.isUp)) {
            checks.fail("a loss is reported immediately", hold.lock, hold.caller + " was not told");
        }
        return false;
    }
}
