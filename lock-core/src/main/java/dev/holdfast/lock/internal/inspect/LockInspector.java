package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Reads who holds a lock, in this client or elsewhere, since when, and what their clients call themselves. Frees it by force. */
public final class LockInspector {

    private static final Script INSPECT = Script.load(LockProtocol.class, "inspect");
    private static final Script FORCE = Script.load(LockProtocol.class, "force");

    /** How many clients' names are read: a lock may have thousands of readers. */
    private static final int MOST_NAMED = 20;

    private final RedisGateway gateway;
    private final LockKeys keys;
    private final ClientNames names;

    public LockInspector(RedisGateway gateway, LockKeys keys, ClientNames names) {
        this.gateway = gateway;
        this.keys = keys;
        this.names = names;
    }

    public CompletableFuture<Boolean> forceRelease(String key, String channel) {
        List<String> names = List.of(key, keys.tokenKey(key), keys.line(key), keys.lineDeadlines(key));
        List<String> args =
                List.of(channel, keys.clusterFlag(), keys.readWriteChannel(key), keys.holds(key), keys.wakePrefix(key));
        return gateway.run(FORCE, names, args).thenApply(answer -> (Long) answer.get(0) == 1);
    }

    /** Without the clients' names: one round trip. */
    public CompletableFuture<Optional<LockState>> inspect(String name, String key, int waitersHere) {
        return gateway.run(INSPECT, List.of(key, keys.line(key)), List.of(keys.holds(key)))
                .thenApply(answer -> Holders.state(name, answer, waitersHere));
    }

    /** With the clients' names, if they can be read. */
    public CompletableFuture<Optional<LockState>> inspectWithNames(String name, String key, int waitersHere) {
        return inspect(name, key, waitersHere)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(found)
                        : named(found.get()).thenApply(Optional::of));
    }

    private CompletableFuture<LockState> named(LockState state) {
        Map<String, String> found = new ConcurrentHashMap<>();
        Map<String, CompletableFuture<?>> questions = new HashMap<>();
        for (Holder holder : state.holders()) {
            // Another library's client has no name here.
            if (holder.fencingToken().isPresent() && questions.size() < MOST_NAMED) {
                questions.computeIfAbsent(
                        holder.client(),
                        client -> names.of(client)
                                .thenAccept(name -> name.ifPresent(known -> found.put(client, known)))
                                .exceptionally(failure -> null));
            }
        }
        return CompletableFuture.allOf(questions.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> new LockState(
                        state.lockName(),
                        state.kind(),
                        state.holders().stream()
                                .map(holder -> named(holder, found))
                                .toList(),
                        state.queue(),
                        state.remaining(),
                        state.waitersHere()));
    }

    private static Holder named(Holder holder, Map<String, String> names) {
        return new Holder(
                holder.owner(),
                holder.client(),
                holder.thread(),
                holder.holds(),
                holder.fencingToken(),
                holder.since(),
                names.get(holder.client()));
    }
}
