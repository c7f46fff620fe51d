package dev.holdfast.lock.simulation;

import java.util.List;

/** A lock of a plan: its kind, its names and, for a semaphore, its permits. */
record LockSpec(Kind kind, List<String> names, int permits) {

    enum Kind {
        PLAIN,
        FAIR,
        READ,
        WRITE,
        SEMAPHORE,
        FAIR_SEMAPHORE,
        /** Several names in one script. */
        NAMES,
        /** A composite lock of several locks. */
        MULTI,
        /** A composite lock on a majority of servers. */
        QUORUM;

        boolean isShared() {
            return this == READ || this == SEMAPHORE || this == FAIR_SEMAPHORE;
        }

        boolean isComposite() {
            return this == MULTI || this == QUORUM;
        }
    }

    boolean hasRecord() {
        return kind == Kind.PLAIN || kind == Kind.FAIR;
    }

    boolean sharesNameWith(LockSpec other) {
        return names.stream().anyMatch(other.names::contains);
    }

    String label() {
        return kind.name().toLowerCase(java.util.Locale.ROOT) + String.join("+", names);
    }
}
