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
 * One lock as Redis shows it, whoever holds it.
 *
 * @param name its name
 * @param held whether anybody holds it
 * @param kind the kind as which it is held
 * @param holders who holds it
 * @param queue who waits in a fair lock's queue
 * @param remaining what is left until Redis drops it
 * @param waitersHere how many wait for it in this instance
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
     * Somebody who holds a lock.
     *
     * @param owner the owner's id in Redis
     * @param client what the owning client calls itself
     * @param thread the owner's thread id
     * @param holds the hold count in Redis
     * @param fencingToken the lease's first token
     * @param since when Redis granted it, by the server's clock
     */
    public record HolderReport(
            String owner,
            @Nullable String client,
            @Nullable Long thread,
            int holds,
            @Nullable Long fencingToken,
            @Nullable Instant since) {

        static HolderReport of(Holder holder) {
            return new HolderReport(
                    holder.owner(),
                    holder.clientName(),
                    orNull(holder.thread()),
                    holder.holds(),
                    orNull(holder.fencingToken()),
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
