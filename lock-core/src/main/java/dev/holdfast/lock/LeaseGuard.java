package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Writes to the Redis of a lock, as the holder of a lease. Redis checks the holder in the step in which it writes: a holder whose lease is over writes
 * nothing, even if it does not know of its loss yet. Redis may have lost its lock, or the holder's process may have paused, before the command was sent
 * or on its way.
 *
 * <p>The lease's owner and its grant are checked, so this also refuses a holder whose lock was forgotten and granted again. A lease of several names is
 * checked for each of them. A reader writes only while no writer has the lock, and the holder of a permit only while it has its permit. But other
 * readers and other permits may write at the same time.
 *
 * <p>The keys must be in the Redis and the database in which the lock is, and in a cluster in the lock's slot: share a hash tag with the lock's name. A
 * write goes the lock client's way, as its user. {@link #guarded} is for another client of the same Redis.
 *
 * <p>A lease that was used for a guarded write is not handed over to the next waiter of this client in memory, but released in Redis. So no command
 * that is late can be taken for one of the next holder.
 *
 * <p>Thread-safe. Every method throws, and every stage fails, with {@link LeaseLostException} if the lease has ended, and then nothing is written; with
 * {@link LockUnavailableException} if Redis did not answer, and then the write may have happened, or may happen as long as the lease lasts; and with
 * {@link IllegalStateException} if a script of the caller failed in Redis.
 */
public interface LeaseGuard {

    /** The code of the error with which Redis refuses a holder that does not have its lock. */
    String REFUSAL = "NOTHELD";

    /**
     * Sets a key to a text. It has no end.
     *
     * @throws IllegalArgumentException if the key is in another slot of a cluster than the lock
     */
    void set(String key, String value);

    /**
     * Sets a key to a text.
     *
     * @param keep how long the key lives, at least 1 ms
     * @throws IllegalArgumentException if the key is in another slot of a cluster than the lock, or the time is out of bounds
     */
    void set(String key, String value, Duration keep);

    /** Sets a key to a text without blocking. It throws {@link IllegalArgumentException} at once. */
    CompletionStage<Void> setAsync(String key, String value, Duration keep);

    /**
     * Runs a Lua script. In it, {@code KEYS} and {@code ARGV} have the given keys and arguments, as if it were run alone.
     *
     * @param script the text of the script
     * @param keys all keys that the script uses; may be empty
     * @return the answer. A single value is a list with one element, a number a {@code Long}, and no value null. The elements of a list in a list
     *     become elements of the outer list
     * @throws IllegalArgumentException if a key is in another slot of a cluster than the lock
     */
    List<Object> run(String script, List<String> keys, String... args);

    /** Runs a Lua script without blocking. It throws {@link IllegalArgumentException} at once. */
    CompletionStage<List<Object>> runAsync(String script, List<String> keys, String... args);

    /**
     * Returns what another client of the same Redis sends to run a script under this lease. Redis answers with an error that begins with {@link
     * #REFUSAL} if the lease does not have its lock. The caller then asks {@link Lease#verify()}.
     *
     * @param script the text of the script
     * @param keys all keys that the script uses; may be empty
     * @throws IllegalArgumentException if a key is in another slot of a cluster than the lock
     */
    Guarded guarded(String script, List<String> keys);

    /**
     * A script that runs only under a lease.
     *
     * @param script the text to send
     * @param sha1 its digest for {@code EVALSHA}
     * @param keys the keys to send
     * @param firstArgs the arguments that precede those of the script
     */
    record Guarded(String script, String sha1, List<String> keys, List<String> firstArgs) {}
}
