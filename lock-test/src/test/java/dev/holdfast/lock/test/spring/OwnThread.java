package dev.holdfast.lock.test.spring;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Makes calls that block, each on a thread of its own. The common pool may have a single thread, and two calls may wait for each other. */
final class OwnThread {

    private OwnThread() {}

    static CompletableFuture<Void> run(Runnable call) {
        return CompletableFuture.runAsync(call, task -> new Thread(task, "call").start());
    }

    static <T> CompletableFuture<T> call(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, task -> new Thread(task, "call").start());
    }
}
