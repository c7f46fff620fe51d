package dev.holdfast.lock.simulation;

import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.leader.LeaderListener;
import dev.holdfast.lock.simulation.Plan.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Checks that an election has one leader at a time, that it has one soon, and that leaders are told. */
final class LeaderChecks {

    private static final long TOLD_WITHIN = TimeUnit.MILLISECONDS.toNanos(100);
    /** One poll, and a request. */
    private static final long FOUND_WITHIN = TimeUnit.MILLISECONDS.toNanos(1_300);

    /** An instance that takes part in an election. */
    final class Candidacy implements LeaderListener {
        private final Instance instance;
        private final SimulatedProcess process;
        private final LockSpec lock;
        private final LeaderElection election;
        private final long since;
        private long told;
        private long differsSince = Long.MAX_VALUE;

        private Candidacy(Instance instance, LockSpec lock, LeaderElection election) {
            this.instance = instance;
            this.process = instance.process;
            this.lock = lock;
            this.election = election;
            this.since = world.now();
        }

        @Override
        public void onGranted(LeaderEvent.Granted event) {
            world.history.add(world.now(), process.name, "leads", lock.label(), event.fencingToken());
            checks.counts.leaders++;
            if (told != 0) {
                checks.fail("a leader is told of its beginning and its end in turn", lock, process.name);
            }
            told = event.fencingToken();
            // A lock that was released by force before its grant arrived has an older token than the next leader.
            if (told <= highest
                    && !checks.isForced(lock, told)
                    && profile != Profile.CLOCKS
                    && profile != Profile.LOSSY) {
                checks.fail("tokens only grow", lock, process.name + " leads with token " + told + " after " + highest);
            }
            highest = Math.max(highest, told);
        }

        @Override
        public void onRevoked(LeaderEvent.Revoked event) {
            world.history.add(world.now(), process.name, "leads no more", lock.label(), event.fencingToken());
            if (told != event.fencingToken()) {
                checks.fail("a leader is told of its beginning and its end in turn", lock, process.name);
            }
            told = 0;
        }

        private long token() {
            OptionalLong token = process.dead ? OptionalLong.empty() : election.fencingToken();
            return token.orElse(0);
        }

        /** Checks that the listener knows what the election says. */
        private void lookWhetherTold() {
            if (process.dead || token() == told || process.isPaused()) {
                differsSince = Long.MAX_VALUE;
            } else if (differsSince == Long.MAX_VALUE) {
                differsSince = world.now();
            } else if (world.now() - differsSince > TOLD_WITHIN && Trouble.ranSince(process, differsSince)) {
                checks.fail(
                        "a leader is told of its beginning and its end in turn", lock, process.name + " was not told");
            }
        }
    }

    private final World world;
    private final Profile profile;
    private final Checks checks;
    private final List<Candidacy> candidacies = new ArrayList<>();
    private long highest;
    private long noneSince = Long.MAX_VALUE;

    LeaderChecks(World world, Profile profile, Checks checks) {
        this.world = world;
        this.profile = profile;
        this.checks = checks;
    }

    Candidacy joined(Instance instance, LockSpec lock, LeaderElection election) {
        Candidacy joined = new Candidacy(instance, lock, election);
        candidacies.add(joined);
        return joined;
    }

    void left(Candidacy gone) {
        if (gone.election.isLeader() || gone.told != 0) {
            checks.fail("an instance that was stopped does not lead", gone.lock, gone.process.name);
        }
        candidacies.remove(gone);
    }

    /** Runs the checks. Called in rounds. */
    void look() {
        int leaders = 0;
        boolean isAwaited = false;
        for (Candidacy one : candidacies) {
            one.lookWhetherTold();
            long token = one.token();
            leaders += token != 0 && !checks.isForced(one.lock, token) ? 1 : 0;
            isAwaited |= token != 0 || one.election.isLeader() || isReady(one);
        }
        candidacies.removeIf(one -> one.process.dead);
        if (leaders > 1 && profile.isSound()) {
            checks.fail("an election has one leader at a time", leaders + " instances lead");
        }
        boolean someoneLeads = candidacies.stream().anyMatch(one -> one.token() != 0);
        if (someoneLeads || !isAwaited || !checks.trouble.areServersCalm() || checks.trouble.hasSomeClientEnded()) {
            noneSince = Long.MAX_VALUE;
        } else if (noneSince == Long.MAX_VALUE) {
            noneSince = world.now();
        } else if (world.now() - noneSince > FOUND_WITHIN && profile.isSound() && checks.trouble.areClientsCalm()) {
            checks.fail(
                    "an election has a leader", "nobody leads since " + (world.now() - noneSince) / 1_000_000 + " ms");
        }
    }

    /** Returns whether a candidate must lead if nobody else does. */
    private boolean isReady(Candidacy one) {
        return !checks.isOver()
                && world.now() - one.since > FOUND_WITHIN
                && checks.trouble.isCalmAndHears(one.instance);
    }
}
