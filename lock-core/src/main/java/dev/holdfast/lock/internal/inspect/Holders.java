package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who holds a lock, since when, and what their clients call themselves. */
public final class Holders {

    /** How many clients' names are read: a lock may have thousands of readers. */
    private static final int MOST_NAMED = 20;

    private final LockInspector inspector;
    private final ClientNames names;

    public Holders(LockInspector inspector, ClientNames names) {
        this.inspector = inspector;
        this.names = names;
    }

    /** Finds the holders. Without the names if they cannot be read. */
    public CompletableFuture<Optional<LockState>> find(String name, String key, int waitersHere) {
        return inspector
                .inspect(name, key, waitersHere)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(found)
                        : named(found.get()).thenApply(Optional::of));
    }

    private CompletableFuture<LockState> named(LockState state) {
        Map<String, String> found = new ConcurrentHashMap<>();
        Map<String, CompletableFuture<Void>> questions = new HashMap<>();
        for (Holder holder : state.holders()) {
            // Another library's client has no name here.
            if (holder.fencingToken().isPresent() && questions.size() < MOST_NAMED) {
                questions.computeIfAbsent(
                        holder.client(),
                        client -> names.of(client).handle((name, failure) -> {
                            if (failure == null) {
                                name.ifPresent(known -> found.put(client, known));
                            }
                            return null;
                        }));
            }
        }
        return CompletableFuture.allOf(questions.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> withNames(state, found));
    }

    private static LockState withNames(LockState state, Map<String, String> names) {
        List<Holder> holders = new ArrayList<>(state.holders().size());
        for (Holder holder : state.holders()) {
            holders.add(new Holder(
                    holder.owner(),
                    holder.client(),
                    holder.thread(),
                    holder.holds(),
                    holder.fencingToken(),
                    since(holder),
                    names.get(holder.client())));
        }
        return new LockState(
                state.lockName(), state.kind(), holders, state.queue(), state.remaining(), state.waitersHere());
    }

    /** A token tells when it was drawn, by the server's clock. */
    private static @Nullable Instant since(Holder holder) {
        return holder.fencingToken().isPresent()
                ? Instant.EPOCH.plus(FencingTokens.drawn(holder.fencingToken().getAsLong()), ChronoUnit.MICROS)
                : null;
    }
}
