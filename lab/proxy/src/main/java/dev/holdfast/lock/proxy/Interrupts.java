package dev.holdfast.lock.proxy;

/** What an interrupted fixture does: it keeps the flag and ends the test. */
public final class Interrupts {

    private Interrupts() {}

    public static IllegalStateException rethrow(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted while a test server was being operated", e);
    }
}
