package dev.holdfast.lock.explore;

import dev.holdfast.lock.LockKind;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is explored: who wants what, what may go wrong, and how far time goes.
 *
 * @param clients the clients, each with its callers
 * @param graceMillis the grace after a failover; 0 for none
 * @param faults what may go wrong
 * @param mostFaults how many times something may go wrong in one story
 * @param moments how many times time may pass in one story. Each time, it passes until the next moment at which something ends or is due
 */
record Scenario(String name, List<Client> clients, int graceMillis, Set<Fault> faults, int mostFaults, int moments) {

    /** What may go wrong, or what a caller may do instead of waiting. */
    enum Fault {
        /** The connection for commands ends. Requests that Redis has not executed are executed later, or never. Answers are lost. */
        CUT_COMMANDS,
        /** The connection for messages ends, and is replaced. */
        CUT_MESSAGES,
        /** A message does not arrive. */
        LOST_MESSAGE,
        /** Redis executes a request twice. */
        REPEAT,
        /** Time passes while a request, an answer or a message is in transit. */
        DELAY,
        /** A process stands still until it goes on, or forever. */
        PAUSE,
        /** A process dies, and its connections end. */
        DIE,
        /** A process dies, and Redis does not notice it. */
        VANISH,
        /** A client is closed. */
        CLOSE,
        /** A caller gives up. */
        CANCEL,
        /** Somebody releases a lock by force. */
        FORCE,
        /** Redis loses all keys. */
        LOSE,
        /** A replica takes over that has no keys, or does not know of the latest script. */
        PROMOTE,
        /** A replica takes over that does not know of the latest two scripts. */
        LAG;

        /** Returns whether it goes on as if nothing had gone wrong. */
        boolean isOrdinary() {
            return this == CANCEL || this == FORCE;
        }

        /** Returns whether another server takes over, which needs a grace. */
        boolean isFailover() {
            return this == PROMOTE || this == LAG;
        }

        /** Returns whether a process stands still and nothing else goes wrong. */
        boolean isSilence() {
            return this == PAUSE || this == DIE || this == VANISH;
        }
    }

    /** A client with its callers. */
    record Client(List<List<Use>> callers, boolean hears) {

        static Client of(Use... uses) {
            return new Client(List.of(List.of(uses)), true);
        }
    }

    /** What a caller does with its lease before it releases it. */
    enum Middle {
        NOTHING,
        /** It does not release. */
        KEEP,
        EXTEND,
        RECORD,
        /** It is a thread that writes, reads meanwhile, and goes on reading. */
        READ
    }

    /**
     * One acquisition and its release.
     *
     * @param kind the kind; null for several names as one lock
     * @param permits the number of permits of a semaphore
     * @param waits whether the caller waits, or tries once
     * @param leaseMillis 0 for a lease that is renewed
     */
    record Use(
            @Nullable LockKind kind,
            List<String> names,
            int permits,
            boolean waits,
            int leaseMillis,
            int minHoldMillis,
            Middle middle) {

        static Use of(LockKind kind) {
            return new Use(kind, List.of("job"), kind.isSemaphore() ? 1 : 0, true, 0, 0, Middle.NOTHING);
        }

        static Use of(String... names) {
            return new Use(null, List.of(names), 0, true, 0, 0, Middle.NOTHING);
        }

        Use of(int number) {
            return new Use(kind, names, number, waits, leaseMillis, minHoldMillis, middle);
        }

        Use named(String name) {
            return new Use(kind, List.of(name), permits, waits, leaseMillis, minHoldMillis, middle);
        }

        /** Returns how long Redis may keep the lock after it was granted or renewed. */
        int mostMillis() {
            int lease = leaseMillis > 0 ? leaseMillis : ClientProcess.WATCHDOG_MILLIS;
            return Math.max(Math.max(lease, minHoldMillis), middle == Middle.EXTEND ? Caller.EXTENSION_MILLIS : 0);
        }

        Use once() {
            return new Use(kind, names, permits, false, leaseMillis, minHoldMillis, middle);
        }

        Use leased(int millis) {
            return new Use(kind, names, permits, waits, millis, minHoldMillis, middle);
        }

        Use keptFor(int millis) {
            return new Use(kind, names, permits, waits, leaseMillis, millis, middle);
        }

        Use with(Middle other) {
            return new Use(kind, names, permits, waits, leaseMillis, minHoldMillis, other);
        }
    }

    Stream<Use> uses() {
        return clients.stream().flatMap(client -> client.callers.stream()).flatMap(List::stream);
    }

    long graceNanos() {
        return TimeUnit.MILLISECONDS.toNanos(graceMillis);
    }

    /** Returns whether nothing may go wrong but that one process with one place stands still. */
    boolean isOnlySilence() {
        return mostFaults == 1
                && faults.stream().allMatch(Fault::isSilence)
                && clients.stream().allMatch(client -> client.callers.size() == 1);
    }

    /** Returns the lock that is released by force. */
    String firstName() {
        return uses().findFirst().orElseThrow().names().get(0);
    }

    Scenario with(Set<Fault> others, int most, int times) {
        return new Scenario(name, clients, graceMillis, others, most, times);
    }
}
