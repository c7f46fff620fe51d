package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.connection.Master;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.protocol.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the locks that are held in Redis. Visits all keys of each master by SCAN, a few hundred to a command, and inspects what may be a lock. Sends a
 * few commands at a time and waits for their answers, so that Redis executes other clients' commands in between. The masters of a cluster are visited
 * at the same time, so one that does not answer hides no other.
 */
public final class LockFinder {

    static final int MOST_LOCKS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(2);

    /** The part of the limit that is kept for the names of clients. */
    private static final Duration FOR_NAMES = Duration.ofMillis(200);

    /** The number of keys that Redis visits in one command. */
    private static final String KEYS_AT_ONCE = "500";

    /**
     * The largest number of commands under way to a master. Redis executes those that have arrived together without a break, and so many take as long
     * as one SCAN.
     */
    private static final int COMMANDS_AT_ONCE = 8;

    private final LockInspector inspector;
    private final Background background;
    private final Ticker ticker;
    private final ToIntFunction<String> waitersHere;
    private final String pattern;
    private long end;

    private final Map<String, LockState> found = new TreeMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private volatile boolean answered;
    private volatile @Nullable RedisFailure failure;
    private volatile boolean over;

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
        try {
            long interruptions = inspector.gateway.interruptions();
            List<Visit> visits =
                    await(inspector.gateway.masters()).stream().map(Visit::new).toList();
            visits.forEach(visit -> visit.scan("0"));
            visits.forEach(this::awaitEnd);
            if (inspector.gateway.interruptions() != interruptions) {
                missing("a connection", "a connection to Redis ended during the search");
            }
        } catch (TimeoutException e) {
            failure = tooLate();
        } catch (ExecutionException e) {
            failure = RedisFailure.of(e.getCause());
        }
        over = true;
        return result();
    }

    private FoundLocks result() {
        List<LockState> locks;
        String reasons;
        // Answers to the last commands may come later.
        synchronized (this) {
            if (!answered && failure != null) {
                throw new LockUnavailableException(
                        pattern, "The locks cannot be listed: " + failure.getMessage(), failure, failure.isTransient());
            }
            locks = List.copyOf(found.values());
            reasons = missing.isEmpty() ? null : String.join("; ", missing.values());
        }
        end += FOR_NAMES.toNanos();
        Map<String, String> clients = clientNames(locks);
        return new FoundLocks(
                locks.stream().map(lock -> LockInspector.named(lock, clients)).toList(), clients, reasons);
    }

    private void awaitEnd(Visit visit) {
        try {
            await(visit.ended);
        } catch (TimeoutException e) {
            visit.tooLate();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static RedisFailure tooLate() {
        return RedisFailure.tooLate("no answer within " + LogText.time(LIMIT));
    }

    /** Notes why locks may be missing, one reason for each subject. */
    private synchronized void missing(String subject, String reason) {
        missing.put(subject, reason);
    }

    /** The visit of all keys of one master. Its steps run on the threads that receive the answers. */
    private final class Visit {

        private final Master master;
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        private volatile boolean hasAnswered;

        Visit(Master master) {
            this.master = master;
        }

        private void scan(String cursor) {
            String keys = inspector.keys.keyPattern(pattern);
            then(
                    master.command("SCAN", cursor, "MATCH", keys, "COUNT", KEYS_AT_ONCE, "TYPE", "hash"),
                    this::inspectAll);
        }

        private void inspectAll(List<Object> answer) {
            hasAnswered = true;
            answered = true;
            inspectAll(namesByKey(answer).entrySet().iterator(), (String) answer.get(0));
        }

        private void inspectAll(Iterator<Map.Entry<String, String>> names, String cursor) {
            if (hasMost()) {
                missing("all", "there may be more than the first 1,000 locks");
                ended.complete(null);
            } else if (names.hasNext()) {
                then(
                        askSome(names, lock -> inspect(lock.getKey(), lock.getValue())),
                        answers -> inspectAll(names, cursor));
            } else if (cursor.equals("0")) {
                ended.complete(null);
            } else {
                scan(cursor);
            }
        }

        /** Called at the end of the time limit. */
        void tooLate() {
            if (hasAnswered) {
                missing("all", "not all keys were visited within " + LogText.time(LIMIT));
            } else {
                failed(LockFinder.tooLate());
            }
        }

        private void failed(RedisFailure problem) {
            failure = problem;
            missing(master.name(), master.name() + " did not answer: " + problem.getMessage());
        }

        /** Continues with an answer, unless the search is over. */
        private <T> void then(CompletableFuture<T> answer, Consumer<T> next) {
            answer.whenComplete((value, problem) -> {
                if (over) {
                    return;
                }
                try {
                    if (problem == null) {
                        next.accept(value);
                    } else {
                        failed(RedisFailure.of(problem));
                        ended.complete(null);
                    }
                } catch (RuntimeException e) {
                    ended.completeExceptionally(e);
                }
            });
        }
    }

    private synchronized Map<String, String> namesByKey(List<Object> answer) {
        Map<String, String> nameByKey = new LinkedHashMap<>();
        for (Object key : answer.subList(1, answer.size())) {
            String name = inspector.keys.name((String) key);
            if (name != null && !found.containsKey(name)) {
                nameByKey.put((String) key, name);
            }
        }
        return nameByKey;
    }

    private synchronized boolean hasMost() {
        return found.size() >= MOST_LOCKS;
    }

    private CompletableFuture<Void> inspect(String key, String name) {
        return inspector
                .inspect(name, key, waitersHere.applyAsInt(key), LockInspector.MOST_PLACES)
                .handle((state, problem) -> {
                    add(name, problem == null ? state.orElse(null) : null, problem);
                    return null;
                });
    }

    /** Called on any thread with the state of what may be a lock. */
    private synchronized void add(String name, @Nullable LockState state, @Nullable Throwable problem) {
        if (problem != null) {
            missing(
                    "a lock",
                    "'" + LogText.escape(name) + "' could not be read: "
                            + RedisFailure.of(problem).getMessage());
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
        Iterator<String> next = clients.iterator();
        try {
            while (next.hasNext()) {
                await(askSome(next, client -> inspector.readName(client, known)));
            }
        } catch (ExecutionException | TimeoutException e) {
            // A list of locks without all names is better than none.
        }
        return Map.copyOf(known);
    }

    private static <T> CompletableFuture<Void> askSome(Iterator<T> next, Function<T, CompletableFuture<Void>> request) {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        while (next.hasNext() && sent.size() < COMMANDS_AT_ONCE) {
            sent.add(request.apply(next.next()));
        }
        return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
    }

    /** Waits for an answer until the end of the time limit, by the client's own clock. */
    private <T> T await(CompletableFuture<T> answer) throws ExecutionException, TimeoutException {
        while (true) {
            long left = Math.max(0, end - ticker.now());
            try {
                return background.get(answer, left);
            } catch (TimeoutException e) {
                if (end - ticker.now() <= 0) {
                    throw e;
                }
            } catch (InterruptedException e) {
                over = true;
                Thread.currentThread().interrupt();
                throw new LockInterruptedException(pattern, e);
            }
        }
    }
}
