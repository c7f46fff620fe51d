package dev.holdfast.lock.benchmarks;

/** The libraries that are measured. */
enum LockLibrary {
    HOLDFAST {
        @Override
        Contender open(int port) {
            return new HoldfastContender(port);
        }
    },
    REDISSON {
        @Override
        Contender open(int port) {
            return RedissonContender.small(port);
        }
    };

    /** A new client with connections of its own. */
    abstract Contender open(int port);

    /** Whether the channel is one of its clients' instead of a lock's. */
    boolean hasOwn(String channel) {
        return this == HOLDFAST && channel.startsWith("holdfast:");
    }

    String label() {
        return this == HOLDFAST ? "Holdfast" : "Redisson";
    }
}
