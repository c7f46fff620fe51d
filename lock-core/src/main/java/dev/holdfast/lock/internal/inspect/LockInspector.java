package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.internal.protocol.Scripts;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Reads who holds a lock, in this client or elsewhere, since when, and the names of the holders' clients. Also releases a lock by force, and asks a
 * holder to stop.
 */
public final class LockInspector {

    /** The largest number of holders in a state. The names of their clients are read. A lock may have thousands of readers. */
    public static final int MOST_NAMED = 20;

    /** The largest number of places in a state. The state for a refused caller contains no places. */
    public static final int MOST_PLACES = MOST_NAMED;

    /** The index of the first holder in the script's answer. Each holder has three elements. */
    private static final int FIRST_HOLDER = 6;

    final RedisGateway gateway;
    final LockKeys keys;
    final ClientNames names;

    public LockInspector(RedisGateway gateway, LockKeys keys, ClientNames names) {
        this.gateway = gateway;
        this.keys = keys;
        this.names = names;
    }

    public CompletableFuture<Boolean> forceRelease(String key) {
        return gateway.run(Scripts.FORCE, keys.withTokenKey(List.of(key)), List.of())
                .thenApply(answer -> (Long) answer.get(0) == 1);
    }

    /** Asks the one holder of a plain or fair lock to stop. The request names its grant. Returns false if there is no such holder. */
    public CompletableFuture<Boolean> requestStop(String name, String key) {
        return inspect(name, key, 0, 0)
                .thenCompose(found -> found.map(LockState::holder)
                        .filter(holder -> holder.fencingToken().isPresent())
                        .map(holder -> requestStop(key, holder))
                        .orElseGet(() -> CompletableFuture.completedFuture(false)));
    }

    private CompletableFuture<Boolean> requestStop(String key, Holder holder) {
        List<String> grant =
                List.of(holder.owner(), Long.toString(holder.fencingToken().getAsLong()));
        return gateway.run(Scripts.REQUEST_STOP, List.of(key), grant).thenApply(answer -> (Long) answer.get(0) == 1);
    }

    /** Reads the state without the clients' names. One round trip. */
    public CompletableFuture<Optional<LockState>> inspect(String name, String key, int waitersHere, int places) {
        return gateway.run(Scripts.INSPECT, List.of(key), List.of(Integer.toString(places)))
                .thenApply(answer -> state(name, answer, waitersHere));
    }

    /** Returns the number of holders of a lock. One round trip, because the holders' names are not needed. */
    public CompletableFuture<Integer> holders(String name, String key) {
        return inspect(name, key, 0, 0)
                .thenApply(found -> found.map(LockState::holderCount).orElse(0));
    }

    /** Returns whether this client holds the lock in Redis, or is among the first places of its queue. */
    public CompletableFuture<Boolean> isInRedis(String name, String key) {
        return inspect(name, key, 0, MOST_PLACES)
                .thenApply(found -> found.stream()
                        .flatMap(state ->
                                Stream.concat(state.holders().stream().map(Holder::owner), state.queue().stream()))
                        .anyMatch(names::areOfOwner));
    }

    private static Optional<LockState> state(String name, List<Object> answer, int waitersHere) {
        int end = FIRST_HOLDER + 3 * number(answer, 4);
        List<Holder> holders = new ArrayList<>();
        for (int i = FIRST_HOLDER; i < end; i += 3) {
            holders.add(holder((String) answer.get(i), (String) answer.get(i + 1), (String) answer.get(i + 2)));
        }
        if (holders.isEmpty()) {
            return Optional.empty();
        }
        // Sorts the holders, those that have held the lock longest first.
        holders.sort(Comparator.comparingLong(holder -> holder.fencingToken().orElse(0)));
        long left = (Long) answer.get(0);
        return Optional.of(new LockState(
                name,
                LockKind.valueOf((String) answer.get(1)),
                List.copyOf(holders),
                answer.subList(end, answer.size()).stream()
                        .map(String.class::cast)
                        .toList(),
                left < 0 ? null : Duration.ofMillis(left),
                waitersHere,
                number(answer, 2),
                number(answer, 3),
                number(answer, 5) == 1));
    }

    private static int number(List<Object> answer, int index) {
        return ((Long) answer.get(index)).intValue();
    }

    private static Holder holder(String text, String holds, String token) {
        OwnerId owner = new OwnerId(text);
        OptionalLong first = number(token);
        // A fencing token contains the time at which it was drawn, by the server's clock.
        Instant since = first.isPresent()
                ? Instant.EPOCH.plus(FencingTokens.drawn(first.getAsLong()), ChronoUnit.MICROS)
                : null;
        return new Holder(
                text, owner.client(), owner.thread(), (int) number(holds).orElse(1), first, since, null);
    }

    /** Parses a number. Other programs may have written any text to Redis. */
    private static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Reads the state, including the clients' names if they can be read. */
    public CompletableFuture<Optional<LockState>> inspectWithNames(
            String name, String key, int waitersHere, int places) {
        return inspect(name, key, waitersHere, places)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(found)
                        : named(found.get()).thenApply(Optional::of));
    }

    private CompletableFuture<LockState> named(LockState state) {
        Map<String, String> found = new ConcurrentHashMap<>();
        Map<String, CompletableFuture<?>> requests = new HashMap<>();
        for (Holder holder : state.holders()) {
            // The client of another library has no name here.
            if (holder.fencingToken().isPresent() && requests.size() < MOST_NAMED) {
                requests.computeIfAbsent(holder.client(), client -> readName(client, found));
            }
        }
        return CompletableFuture.allOf(requests.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> named(state, found));
    }

    /** Adds the name of a client to a concurrent map, if the name exists and can be read. The stage never fails. */
    CompletableFuture<Void> readName(String client, Map<String, String> found) {
        return names.of(client)
                .thenAccept(name -> name.ifPresent(known -> found.put(client, known)))
                .exceptionally(failure -> null);
    }

    /** Adds the names of the holders' clients, by the clients' ids. */
    static LockState named(LockState state, Map<String, String> names) {
        return new LockState(
                state.lockName(),
                state.kind(),
                state.holders().stream().map(holder -> named(holder, names)).toList(),
                state.queue(),
                state.remaining(),
                state.waitersHere(),
                state.holderCount(),
                state.queueLength(),
                state.stopRequested());
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
