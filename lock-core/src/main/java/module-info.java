/** Distributed locks on Redis. Exports only the API, the ways to create a client, composite locks, and leader election. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module")
module dev.holdfast.lock {
    requires static transitive org.jspecify;
    requires transitive lettuce.core;

    // Lettuce has no module descriptor that declares its own requirements.
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.resolver.dns;
    requires io.netty.transport;
    requires jdk.net;
    requires static reactor.core;

    exports dev.holdfast.lock;
    exports dev.holdfast.lock.composite;
    exports dev.holdfast.lock.leader;
    exports dev.holdfast.lock.redis;

    // lock-test, a Redis in memory for users' tests, uses these internal packages.
    exports dev.holdfast.lock.internal.background to
            dev.holdfast.lock.test;
    exports dev.holdfast.lock.internal.connection to
            dev.holdfast.lock.test;
    exports dev.holdfast.lock.internal.event to
            dev.holdfast.lock.test;
    exports dev.holdfast.lock.internal.lease to
            dev.holdfast.lock.test;
}
