package dev.holdfast.lock.test;

import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.event.AcquisitionSite;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.test.memory.MemoryRedis;

/** Frees all locks for the next test, except those of Spring's scheduled methods and of leaders, which belong to no test. */
record FreshStart(Instance app, MemoryRedis server, SeveralNames several, Standstill standstill, Runnable settle) {

    void freeAll() {
        app.leases().filter(lease -> !isBesideTests(lease)).forEach(lease -> lease.lose(LossCause.CLOSED));
        settle.run();
        // A scheduled method that is acquiring its lock has no lease yet.
        standstill.awaitQuiet();
        server.clear(() -> app.leases()
                .filter(FreshStart::isBesideTests)
                .flatMap(lease -> several.of(lease.lockName()).stream())
                .toList());
    }

    private static boolean isBesideTests(HeldLease lease) {
        return RunsBesideTests.contain(AcquisitionSite.calls(lease.terms().site()));
    }
}
