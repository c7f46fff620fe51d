package dev.holdfast.lock.simulation;

/** A promise that was broken. */
record Violation(long at, String promise, String what) {

    Violation {
        Promise.of(promise);
    }

    @Override
    public String toString() {
        return "at " + at / 1_000_000 + " ms: " + promise + ": " + what;
    }
}
