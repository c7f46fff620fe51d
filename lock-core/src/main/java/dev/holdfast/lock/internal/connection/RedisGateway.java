package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.waiting.ReleaseSignals;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a client asks of a Redis: it runs scripts, delivers messages, and reads and writes a few plain keys. Every stage fails with a
 * {@link RedisFailure}.
 */
public interface RedisGateway extends AutoCloseable {

    /** Opens a gateway at each start of a client. */
    @FunctionalInterface
    interface Opener {

        /** Begins to connect. */
        RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker);

        /** What its client's work runs on. */
        default Background background() {
            return Background.SYSTEM;
        }

        /** How its client logs the loss of a lease. */
        default System.Logger.Level lossLevel() {
            return System.Logger.Level.WARNING;
        }

        /** Called at each start of a client, with what shows its leases and its events from outside. */
        default void started(Watchdog watchdog, EventPublisher events) {}
    }

    /** Runs a script on the master of its keys. */
    default CompletableFuture<List<Object>> run(Script script, List<String> keys, List<String> args) {
        return run(script, keys, args, ScriptResult::values);
    }

    /**
     * Runs a script on the master of its keys.
     *
     * @param reader makes of the answer what the caller gets
     */
    <T> CompletableFuture<T> run(Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader);

    /**
     * Runs a script whose writes count only when that many replicas have them.
     *
     * @param replicas how many; with 0 it is a script like any other
     * @param isWrite whether an answer says that something was written
     * @return fails with a {@link RedisFailure} whose outcome is unknown where the replicas did not confirm
     */
    <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader);

    /** Completes when the first attempt to connect has ended, well or not. Earlier nobody knows which keys a script may use. */
    CompletableFuture<Void> attempted();

    /** Completes when Redis is reached for the first time. */
    CompletionStage<Void> firstConnected();

    /** Messages of other clients. */
    ReleaseSignals signals();

    /** Grows when a connection ends: commands sent before and after may then be executed in any order. */
    long interruptions();

    /** The slot that a key falls into. */
    static int slotOf(String key) {
        return SlotHash.getSlot(key);
    }

    /**
     * Runs a command that is no script, about one key or none.
     *
     * @param name in capitals
     * @return its answer, or a list of it alone
     */
    CompletableFuture<List<Object>> command(String name, List<String> keys, String... args);

    @Override
    void close();
}
