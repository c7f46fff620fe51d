package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.spring.boot.actuate.LocksReport.LockReport.HolderReport;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The locks that all instances hold.
 *
 * @param missing why there may be more locks; null if the report is complete
 */
record FoundLocksReport(boolean complete, @Nullable String missing, List<FoundLock> locks) {

    /** A held lock. Shows at most 20 holders and 20 places of its queue. */
    record FoundLock(
            String name,
            LockKind kind,
            List<HolderReport> holders,
            List<Place> waiting,
            @Nullable Duration remaining,
            int holderCount,
            int queueLength) {
        static FoundLock of(LockState state, FoundLocks found) {
            return new FoundLock(
                    state.lockName(),
                    state.kind(),
                    state.holders().stream().map(HolderReport::of).toList(),
                    state.queue().stream()
                            .map(owner ->
                                    new Place(owner, found.clientName(owner).orElse(null)))
                            .toList(),
                    state.remaining(),
                    state.holderCount(),
                    state.queueLength());
        }
    }

    /** A place in a lock's queue. */
    record Place(String owner, @Nullable String client) {}

    static FoundLocksReport of(FoundLocks found) {
        return new FoundLocksReport(
                found.isComplete(),
                found.missing(),
                found.locks().stream().map(lock -> FoundLock.of(lock, found)).toList());
    }
}
