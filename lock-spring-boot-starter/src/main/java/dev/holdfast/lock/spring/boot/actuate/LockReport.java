package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One lock as Redis has it, whichever instance or library holds it.
 *
 * @param name its name
 * @param held whether it is held
 * @param kind the kind as which it is held
 * @param holders its holders
 * @param queue the queue of a fair lock
 * @param remaining the time until it expires in Redis
 * @param waitersHere the number of callers in this instance that wait for it
 */
public record LockReport(
        String name,
        boolean held,
        @Nullable LockKind kind,
        List<HolderReport> holders,
        List<String> queue,
        @Nullable Duration remaining,
        int waitersHere) {

    /**
     * A holder of a lock.
     *
     * @param owner the owner's id in Redis
     * @param client the name of the owning client
     * @param thread the owner's thread id
     * @param holds the hold count in Redis
     * @param fencingToken the lease's first token, as text: JavaScript rounds numbers of this size
     * @param since when Redis granted it, by the server's clock
     */
    public record HolderReport(
            String owner,
            @Nullable String client,
            @Nullable Long thread,
            int holds,
            @Nullable String fencingToken,
            @Nullable Instant since) {

        static HolderReport of(Holder holder) {
            return new HolderReport(
                    holder.owner(),
                    holder.clientName(),
                    orNull(holder.thread()),
                    holder.holds(),
                    holder.fencingToken().isPresent()
                            ? Long.toString(holder.fencingToken().getAsLong())
                            : null,
                    holder.since());
        }

        private static @Nullable Long orNull(OptionalLong number) {
            return number.isPresent() ? Long.valueOf(number.getAsLong()) : null;
        }
    }

    static LockReport free(String name) {
        return new LockReport(name, false, null, List.of(), List.of(), null, 0);
    }

    static LockReport of(LockState state) {
        return new LockReport(
                state.lockName(),
                true,
                state.kind(),
                state.holders().stream().map(HolderReport::of).toList(),
                state.queue(),
                state.remaining(),
                state.waitersHere());
    }
}
