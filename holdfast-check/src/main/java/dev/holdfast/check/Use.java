package dev.holdfast.check;

/** The kind of lock that an attempt uses. */
enum Use {
    PLAIN,
    FAIR,
    READ,
    WRITE,
    SEVERAL,
    QUORUM;

    /** Returns whether several callers may hold the lock at once. */
    boolean isShared() {
        return this == READ;
    }
}
