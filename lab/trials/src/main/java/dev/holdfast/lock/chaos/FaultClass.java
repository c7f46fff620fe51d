package dev.holdfast.lock.chaos;

import dev.holdfast.check.Stage;
import dev.holdfast.check.Terms;
import java.time.Duration;
import java.util.Locale;

/** A class of faults, with the servers that it needs and the promises that apply in spite of it. */
enum FaultClass {
    /** There is no fault. A failure in this class does not depend on faults. */
    NONE,
    NETWORK,
    PROCESS,
    DATA,
    FAILOVER,
    CLUSTER,
    QUORUM,
    CLOCK;

    Stage open() {
        return switch (this) {
            case NONE, NETWORK, PROCESS, DATA -> new ServerStage(this);
            case FAILOVER -> new SentinelStage();
            case CLUSTER -> new ClusterStage();
            case QUORUM -> new QuorumStage();
            case CLOCK -> new ClockStage();
        };
    }

    Terms terms() {
        return switch (this) {
            case NONE, NETWORK, PROCESS, QUORUM -> Terms.dataIsKept();
            case FAILOVER, CLUSTER, DATA -> {
                Terms lost = Terms.dataIsLost(Duration.ofSeconds(1));
                yield Terms.grace().isZero() ? lost : lost.withGrace();
            }
            case CLOCK -> Terms.dataIsLost(Duration.ofSeconds(1));
        };
    }

    /** Returns whether this machine can cause these faults. */
    boolean isPossible() {
        return this != CLOCK || ClockStage.isPossible();
    }

    /** Returns whether the naive lock must break a rule in this class. */
    boolean breaksTheNaiveLock() {
        return this != NONE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
