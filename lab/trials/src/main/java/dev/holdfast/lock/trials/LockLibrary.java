package dev.holdfast.lock.trials;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The libraries that are measured, or that run under faults. */
public enum LockLibrary {
    HOLDFAST("Holdfast"),
    /** A lock as it is written in an afternoon. It runs only under faults, where it must fail. */
    NAIVE("a naive lock"),
    REDISSON("Redisson"),
    SPRING("Spring Integration"),
    SHEDLOCK("ShedLock"),
    LOCK4J("lock4j"),
    /** The minimum cost of any lock with a hash, an expiry and a message, on one Lettuce connection. */
    RAW("raw"),
    /** A deliberately slowed Holdfast, which shows that the benchmark detects a difference. */
    SLOWED("Holdfast, slowed"),
    /** Another build of Holdfast, whose jar is given. It is measured only where it is named. */
    EARLIER("an earlier Holdfast"),
    /** Holdfast with a failover grace. It is measured only where it is named. */
    GRACE("Holdfast with a grace"),
    /** Holdfast that does not wait for the answer to its releases. It is measured only where it is named. */
    UNAWAITED("Holdfast, release not awaited");

    private final String label;

    LockLibrary(String label) {
        this.label = label;
    }

    /** Returns the libraries with these names, separated by commas, in any case; all if no name is given. */
    public static List<LockLibrary> named(String names) {
        List<String> each = List.of(names.toLowerCase(Locale.ROOT).split(",", -1));
        return Arrays.stream(values())
                .filter(library -> names.isEmpty() || each.contains(library.toString()))
                .toList();
    }

    /** Returns whether the library runs under faults. */
    public boolean runsUnderFaults() {
        return this == HOLDFAST || this == NAIVE || this == REDISSON;
    }

    /** Returns whether a thread that holds a lock can acquire it again. */
    public boolean isReentrant() {
        return this != SHEDLOCK && this != LOCK4J && this != RAW && this != NAIVE;
    }

    /** Returns whether this is Holdfast as it is, or a variant of it. */
    public boolean isHoldfast() {
        return this == HOLDFAST || this == SLOWED || this == GRACE || this == EARLIER || this == UNAWAITED;
    }

    /** Returns whether the library can wait for a lock, and not only try once. */
    public boolean waits() {
        return this != SHEDLOCK && this != RAW;
    }

    /** Returns whether the library renews held locks. */
    public boolean renews() {
        return isHoldfast() || this == REDISSON || this == NAIVE;
    }

    /** Returns whether the channel belongs to one of the library's clients instead of to a lock. */
    public boolean hasOwn(String channel) {
        return isHoldfast() && channel.startsWith("holdfast:");
    }

    public String label() {
        return label;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
