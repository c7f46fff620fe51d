package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.lease.LeaseTable;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A client's access to Redis. It runs scripts, delivers messages, and reads and writes a few plain keys. Every stage fails with a {@link
 * RedisFailure}.
 */
public interface RedisGateway extends AutoCloseable {

    /** Opens a gateway at each start of a client. */
    @FunctionalInterface
    interface Opener {

        /** Opens a gateway, which begins to connect. */
        RedisGateway open(ConnectionSettings settings, Timer timer, Ticker ticker);

        /** Returns the clocks, threads and timers for the client's work. */
        default Background background() {
            return Background.SYSTEM;
        }

        /** Returns the level at which the client logs the loss of a lease. */
        default System.Logger.Level lossLevel() {
            return System.Logger.Level.WARNING;
        }

        /** Called at each start of a client, with the client's leases and events. */
        default void started(LeaseTable leases, EventPublisher events) {}
    }

    /** Runs a script on the master of its keys. */
    default CompletableFuture<List<Object>> run(Script script, List<String> keys, List<String> args) {
        return run(script, keys, args, ScriptResult::values);
    }

    /**
     * Runs a script on the master of its keys.
     *
     * @param reader converts the answer into the caller's result
     */
    default <T> CompletableFuture<T> run(
            Script script, List<String> keys, List<String> args, Function<ScriptResult, T> reader) {
        return run(script, keys, args, reader, late -> {});
    }

    /**
     * Runs a script whose answer is worth knowing even if it comes after the command timeout.
     *
     * @param late receives such an answer, after the future has failed
     */
    <T> CompletableFuture<T> run(
            Script script,
            List<String> keys,
            List<String> args,
            Function<ScriptResult, T> reader,
            Consumer<? super T> late);

    /**
     * Runs a script whose writes count only when enough replicas have confirmed them.
     *
     * @param replicas the number of replicas that must confirm; 0 if none must
     * @param isWrite tests whether an answer says that the script has written
     * @return the caller's result; fails with a {@link RedisFailure} of unknown outcome if too few replicas confirmed
     */
    <T> CompletableFuture<T> runReplicated(
            Script script,
            List<String> keys,
            List<String> args,
            int replicas,
            Predicate<List<Object>> isWrite,
            Function<ScriptResult, T> reader);

    /**
     * Returns a future that completes when the first attempt to connect has ended, even if it failed. Before that, the client does not know which
     * keys a script may use.
     */
    CompletableFuture<Void> attempted();

    /** Returns a stage that completes when Redis is reached for the first time. */
    CompletionStage<Void> firstConnected();

    /** Returns the channels on which other clients' messages arrive. */
    ReleaseSignals signals();

    /** Returns a number that grows whenever a connection ends. Commands that were sent before and after such an end may be executed in any order. */
    long interruptions();

    /** Returns the slot of a key. */
    static int slotOf(String key) {
        return SlotHash.getSlot(key);
    }

    /**
     * Runs a command other than a script, with one key or none.
     *
     * @param name the command's name in capitals
     * @return the answer. A single value is a list with one element
     */
    CompletableFuture<List<Object>> command(String name, List<String> keys, String... args);

    /** Returns the masters of a cluster, or one for a single server and for a service that looks like one. */
    default CompletableFuture<List<Master>> masters() {
        Master only =
                new Master("the server", false, (name, args) -> command(name, List.of(), args.toArray(String[]::new)));
        return CompletableFuture.completedFuture(List.of(only));
    }

    @Override
    void close();
}
