package dev.holdfast.lock.chaos;

import java.time.Duration;
import java.util.Locale;

/** What breaks in a run, and what is promised all the same. */
enum FaultClass {
    /** Nothing: what fails here fails without a fault. */
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
            case DATA, FAILOVER, CLUSTER, CLOCK -> Terms.dataIsLost(Duration.ofSeconds(1));
        };
    }

    /** Whether this machine can have these faults. */
    boolean isPossible() {
        return this != CLOCK || ClockStage.isPossible();
    }

    /** Whether the naive lock must break here. */
    boolean breaksTheNaiveLock() {
        return this != NONE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
