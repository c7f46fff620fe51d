package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Who holds the permits of a semaphore, as the {@code inspect} script tells it: each owner with its token, those with ended permits left out. */
final class PermitHolders {

    private static final String OURS = "holdfast:";
    private static final String KIND = OURS + "kind";

    private PermitHolders() {}

    private static String kind(List<Object> answer) {
        int at = answer.indexOf(KIND);
        return at < 0 ? "" : (String) answer.get(at + 1);
    }

    static boolean isSemaphore(List<Object> answer) {
        return kind(answer).endsWith("semaphore");
    }

    /** The state, with those first that have held longest. */
    static Optional<LockState> state(String name, List<Object> answer, List<String> queue, int waitersHere) {
        List<Holder> holders = new ArrayList<>();
        for (int i = 2; i + 1 < answer.size(); i += 2) {
            String field = (String) answer.get(i);
            if (!field.startsWith(OURS)) {
                holders.add(LockInspector.holder(field, "1", (String) answer.get(i + 1)));
            }
        }
        if (holders.isEmpty()) {
            return Optional.empty();
        }
        holders.sort(Comparator.comparingLong(holder -> holder.fencingToken().orElse(0)));
        long left = (Long) answer.get(0);
        LockKind kind = kind(answer).startsWith("fair") ? LockKind.FAIR_SEMAPHORE : LockKind.SEMAPHORE;
        return Optional.of(
                new LockState(name, kind, holders, queue, left < 0 ? null : Duration.ofMillis(left), waitersHere));
    }
}
