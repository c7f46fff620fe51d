package dev.holdfast.lock.benchmarks;

/** The libraries that are measured. */
enum LockLibrary {
    HOLDFAST("Holdfast"),
    REDISSON("Redisson"),
    SPRING("Spring Integration"),
    SHEDLOCK("ShedLock"),
    LOCK4J("lock4j"),
    /** The minimum cost of any lock with a hash, an expiry and a message, on one Lettuce connection. */
    RAW("raw"),
    /** A deliberately slowed Holdfast, which shows that the benchmark detects a difference. */
    SLOWED("Holdfast, slowed");

    private final String label;

    LockLibrary(String label) {
        this.label = label;
    }

    /** Creates a client with its own connections and the library's defaults. */
    Contender open(int port) {
        return switch (this) {
            case HOLDFAST -> new HoldfastContender(port);
            case REDISSON -> RedissonContender.withDefaults(port);
            case SPRING -> new SpringContender(port);
            case SHEDLOCK -> new ShedLockContender(port);
            case LOCK4J -> new Lock4jContender(port);
            case RAW -> new RawContender(port);
            case SLOWED -> new SlowedContender(port);
        };
    }

    /** Creates a client that is one of many in its JVM. */
    Contender openOneOfMany(int port) {
        return this == REDISSON ? RedissonContender.small(port) : open(port);
    }

    /** Returns whether a thread that holds a lock can acquire it again. */
    boolean isReentrant() {
        return this != SHEDLOCK && this != LOCK4J && this != RAW;
    }

    /** Returns whether the library can wait for a lock, and not only try once. */
    boolean waits() {
        return this != SHEDLOCK && this != RAW;
    }

    /** Returns whether the library renews held locks. */
    boolean renews() {
        return this == HOLDFAST || this == REDISSON || this == SLOWED;
    }

    /** Returns whether the channel belongs to one of the library's clients instead of to a lock. */
    boolean hasOwn(String channel) {
        return (this == HOLDFAST || this == SLOWED) && channel.startsWith("holdfast:");
    }

    String label() {
        return label;
    }
}
