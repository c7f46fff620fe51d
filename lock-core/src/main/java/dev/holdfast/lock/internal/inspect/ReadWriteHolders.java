package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.protocol.WriteProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who has a read/write lock, as the {@code inspect} script tells it. A holder whose hold is over is none, though its field may still be there.
 *
 * @param writers none or one
 * @param readers all of them, a writer's own reading included
 */
record ReadWriteHolders(List<Holder> writers, List<Holder> readers) {

    static final String MODE = "mode";
    private static final String HOLD = "holdfast:hold:";

    static ReadWriteHolders of(List<Object> answer) {
        List<Holder> writers = new ArrayList<>();
        List<Holder> readers = new ArrayList<>();
        for (int i = 2; i + 3 < answer.size(); i += 2) {
            String field = (String) answer.get(i);
            if (!answer.get(i + 2).equals(HOLD + field)) {
                continue;
            }
            String holds = (String) answer.get(i + 1);
            String hold = (String) answer.get(i + 3);
            String token = hold.substring(hold.indexOf(':') + 1);
            if (WriteProtocol.isField(field)) {
                String owner = WriteProtocol.owner(field);
                boolean ours = owner.matches(".*:\\d+:\\d+");
                // Another library's writer has no hold of its own.
                if (!ours || !hold.isEmpty()) {
                    writers.add(LockInspector.holder(owner, holds, token));
                }
            } else if (!hold.isEmpty()) {
                readers.add(LockInspector.holder(field, holds, hold.indexOf(':') < 0 ? "" : token));
            }
        }
        return new ReadWriteHolders(writers, readers);
    }

    Optional<LockState> state(String name, long left, int waitersHere) {
        List<Holder> holders = writers.isEmpty() ? readers : writers;
        if (holders.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new LockState(
                name,
                writers.isEmpty() ? LockKind.READ : LockKind.WRITE,
                holders,
                List.of(),
                left < 0 ? null : Duration.ofMillis(left),
                waitersHere));
    }
}
