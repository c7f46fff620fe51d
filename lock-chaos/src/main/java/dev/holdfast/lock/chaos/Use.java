package dev.holdfast.lock.chaos;

/** What kind of lock an attempt uses. */
enum Use {
    PLAIN,
    FAIR,
    READ,
    WRITE,
    SEVERAL,
    QUORUM;

    /** Whether several may hold it at once. */
    boolean isShared() {
        return this == READ;
    }
}
