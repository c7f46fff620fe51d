package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the locks that are held in Redis. Visits all keys of each master by SCAN, a few hundred to a command, and inspects what may be a lock. Sends a
 * few commands at a time and waits for their answers, so that Redis executes other clients' commands in between. Used by one thread.
 */
public final class LockFinder {

    static final int MOST_LOCKS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(2);

    /** The part of the limit that is kept for the names of clients. */
    private static final Duration FOR_NAMES = Duration.ofMillis(200);

    /** The number of keys that Redis visits in one command. */
    private static final String KEYS_AT_ONCE = "500";

    /** The largest number of commands under way. Redis executes those that have arrived together without a break, and so many take as long as one SCAN. */
    private static final int COMMANDS_AT_ONCE = 8;

    private final LockInspector inspector;
    private final Background background;
    private final Ticker ticker;
    private final ToIntFunction<String> waitersHere;
    private final String pattern;
    private long end;

    private final Map<String, LockState> found = new TreeMap<>();
    private boolean answered;
    private @Nullable String missing;

    /**
     * Creates an object for one search.
     *
     * @param waitersHere returns the number of this client's waiters for a key
     * @param pattern the pattern of the locks' names
     */
    public LockFinder(
            LockInspector inspector,
            Background background,
            Ticker ticker,
            ToIntFunction<String> waitersHere,
            String pattern) {
        this.inspector = inspector;
        this.background = background;
        this.ticker = ticker;
        this.waitersHere = waitersHere;
        this.pattern = pattern;
        this.end = ticker.now() + LIMIT.minus(FOR_NAMES).toNanos();
    }

    public FoundLocks find() {
        RedisFailure failure = null;
        try {
            for (String master : masters()) {
                try {
                    visit(master);
                } catch (ExecutionException e) {
                    failure = RedisFailure.of(e.getCause());
                    missing = "a server did not answer: " + failure.getMessage();
                }
            }
        } catch (TimeoutException e) {
            failure = RedisFailure.tooLate("no answer within " + LogText.time(LIMIT));
            missing = "not all keys were visited within " + LogText.time(LIMIT);
        } catch (ExecutionException e) {
            failure = RedisFailure.of(e.getCause());
        }
        if (!answered && failure != null) {
            throw new LockUnavailableException(
                    pattern, "The locks cannot be listed: " + failure.getMessage(), failure, failure.isTransient());
        }
        List<LockState> locks = found();
        end += FOR_NAMES.toNanos();
        Map<String, String> clients = clientNames(locks);
        return new FoundLocks(
                locks.stream().map(lock -> LockInspector.named(lock, clients)).toList(), clients, missing);
    }

    /** Returns a copy, because answers to the last commands may come after the end of the time limit. */
    private synchronized List<LockState> found() {
        return List.copyOf(found.values());
    }

    /** Returns a key for each master that leads to it. Without a cluster, any key leads to the only master. */
    private List<String> masters() throws ExecutionException, TimeoutException {
        List<Integer> slots = await(inspector.gateway.masterSlots());
        return slots.isEmpty()
                ? List.of(LockKeys.TOKEN_KEY)
                : slots.stream().map(LockKeys::tokenKeyOfSlot).toList();
    }

    private void visit(String master) throws ExecutionException, TimeoutException {
        String cursor = "0";
        do {
            List<Object> answer = await(inspector.gateway.commandAt(
                    master,
                    "SCAN",
                    cursor,
                    "MATCH",
                    inspector.keys.keyPattern(pattern),
                    "COUNT",
                    KEYS_AT_ONCE,
                    "TYPE",
                    "hash"));
            answered = true;
            cursor = (String) answer.get(0);
            Map<String, String> nameByKey = new LinkedHashMap<>();
            for (Object key : answer.subList(1, answer.size())) {
                String name = inspector.keys.name((String) key);
                if (name != null && !found.containsKey(name)) {
                    nameByKey.put((String) key, name);
                }
            }
            ask(nameByKey.entrySet(), lock -> inspect(lock.getKey(), lock.getValue()));
            if (found.size() >= MOST_LOCKS) {
                missing = "there may be more than the first 1,000 locks";
                return;
            }
        } while (!cursor.equals("0"));
    }

    private CompletableFuture<Void> inspect(String key, String name) {
        return inspector
                .inspect(name, key, waitersHere.applyAsInt(key), LockInspector.MOST_PLACES)
                .handle((state, failure) -> {
                    add(name, failure == null ? state.orElse(null) : null, failure);
                    return null;
                });
    }

    /** Called on any thread with the state of what may be a lock. */
    private synchronized void add(String name, @Nullable LockState state, @Nullable Throwable failure) {
        if (failure != null) {
            missing = "'" + LogText.escape(name) + "' could not be read: "
                    + RedisFailure.of(failure).getMessage();
        } else if (state != null && isLock(state) && found.size() < MOST_LOCKS) {
            found.put(name, state);
        }
    }

    /** Returns whether a hash is a lock. A lock of ours has a fencing token. One of Redisson ends, and its fields are Redisson's owner ids. */
    private static boolean isLock(LockState state) {
        Holder holder = state.holder();
        return holder.fencingToken().isPresent()
                || (new OwnerId(holder.owner()).isOfRedisson() && state.remaining() != null);
    }

    private Map<String, String> clientNames(List<LockState> locks) {
        Set<String> clients = new LinkedHashSet<>();
        for (LockState lock : locks) {
            Stream.concat(lock.holders().stream().map(Holder::owner), lock.queue().stream())
                    .map(OwnerId::new)
                    .filter(OwnerId::isOurs)
                    .forEach(owner -> clients.add(owner.client()));
        }
        Map<String, String> known = new ConcurrentHashMap<>();
        try {
            ask(clients, client -> inspector.readName(client, known));
        } catch (ExecutionException | TimeoutException e) {
            // A list of locks without all names is better than none.
        }
        return Map.copyOf(known);
    }

    private <T> void ask(Collection<T> all, Function<T, CompletableFuture<Void>> request)
            throws ExecutionException, TimeoutException {
        Iterator<T> next = all.iterator();
        while (next.hasNext()) {
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            while (next.hasNext() && sent.size() < COMMANDS_AT_ONCE) {
                sent.add(request.apply(next.next()));
            }
            await(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)));
        }
    }

    private <T> T await(CompletableFuture<T> answer) throws ExecutionException, TimeoutException {
        try {
            return background.get(answer, Math.max(0, end - ticker.now()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(pattern, e);
        }
    }
}
