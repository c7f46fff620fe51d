package dev.holdfast.lock.benchmarks;

/** The libraries that are measured. */
enum LockLibrary {
    HOLDFAST("Holdfast"),
    REDISSON("Redisson"),
    SPRING("Spring Integration"),
    SHEDLOCK("ShedLock"),
    LOCK4J("lock4j"),
    /** What any lock with a hash, an expiry and a message costs on one Lettuce connection. */
    RAW("raw"),
    /** Shows that the benchmark notices what it should. */
    SLOWED("Holdfast, slowed");

    private final String label;

    LockLibrary(String label) {
        this.label = label;
    }

    /** A new client with connections of its own, as its library makes it by default. */
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

    /** A new client, one of many in its JVM. */
    Contender openOneOfMany(int port) {
        return this == REDISSON ? RedissonContender.small(port) : open(port);
    }

    /** Whether a thread that holds a lock can take it again. */
    boolean isReentrant() {
        return this != SHEDLOCK && this != LOCK4J && this != RAW;
    }

    /** Whether it has a wait for a lock, and not only a try. */
    boolean waits() {
        return this != SHEDLOCK && this != RAW;
    }

    /** Whether it renews what is held. */
    boolean renews() {
        return this == HOLDFAST || this == REDISSON || this == SLOWED;
    }

    /** Whether the channel is one of its clients' instead of a lock's. */
    boolean hasOwn(String channel) {
        return (this == HOLDFAST || this == SLOWED) && channel.startsWith("holdfast:");
    }

    String label() {
        return label;
    }
}
