package dev.holdfast.lock.spring.shape;

/** What became of a shape. */
record Outcome(Kind kind, String reason) {

    enum Kind {
        LOCKED,
        REFUSED,
        WARNED,
        /** The body ran without its lock, as the manual says of a call of {@code super}. */
        DOCUMENTED,
        /** The body ran without its lock, and nothing was said. */
        SILENTLY_UNLOCKED,
        /** Something else failed that works without the lock. */
        BROKEN
    }

    boolean isFine() {
        return kind != Kind.SILENTLY_UNLOCKED && kind != Kind.BROKEN;
    }
}
