package dev.holdfast.lock.testing;

/** What an interrupted fixture does: it keeps the flag and ends the test. */
final class Interrupts {

    private Interrupts() {}

    static IllegalStateException rethrow(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted while a test server was being operated", e);
    }
}
