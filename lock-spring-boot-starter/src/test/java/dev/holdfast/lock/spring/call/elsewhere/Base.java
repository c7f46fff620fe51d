package dev.holdfast.lock.spring.call.elsewhere;

import dev.holdfast.lock.spring.DistributedLock;

/** A class whose locked method no class outside this package can override. */
public class Base {

    private final StringBuilder done = new StringBuilder();

    @DistributedLock(name = "base")
    void run() {
        done.append("ran");
    }

    public static void run(Base base) {
        base.run();
    }
}
