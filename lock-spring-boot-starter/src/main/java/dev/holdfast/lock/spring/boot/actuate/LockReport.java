package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One lock as Redis has it, whichever instance or library holds it. Only a fair lock has a queue. */
record LockReport(
        String name,
        boolean held,
        @Nullable LockKind kind,
        List<HolderReport> holders,
        List<String> queue,
        @Nullable Duration remaining,
        int waitersHere) {

    /** A holder. Its token is text: JavaScript rounds numbers of this size. */
    record HolderReport(
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
