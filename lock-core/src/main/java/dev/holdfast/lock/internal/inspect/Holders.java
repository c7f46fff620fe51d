package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Who holds a lock of which kind, as the {@code inspect} script tells it. */
record Holders(LockKind kind, List<Holder> holders) {

    private static final String OURS = "holdfast:";

    /** The state of the lock; empty if nobody holds it. */
    static Optional<LockState> state(String name, List<Object> answer, int waitersHere) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 2; i + 1 < answer.size(); i += 2) {
            fields.put((String) answer.get(i), (String) answer.get(i + 1));
        }
        boolean isReadWrite = fields.containsKey("mode");
        List<String> queue = isReadWrite
                ? List.of()
                : ((List<?>) answer.get(1)).stream().map(String.class::cast).toList();
        String kind = fields.getOrDefault(OURS + "kind", "");
        Holders found;
        if (isReadWrite) {
            found = ofReadWrite(fields);
        } else if (kind.endsWith("semaphore")) {
            found = ofSemaphore(kind.startsWith("fair") ? LockKind.FAIR_SEMAPHORE : LockKind.SEMAPHORE, fields);
        } else {
            found = ofOne(kind.equals("fair"), fields, queue);
        }
        long left = (Long) answer.get(0);
        return found.holders.isEmpty()
                ? Optional.empty()
                : Optional.of(new LockState(
                        name,
                        found.kind,
                        found.holders,
                        queue,
                        left < 0 ? null : Duration.ofMillis(left),
                        waitersHere));
    }

    private static Holders ofOne(boolean fair, Map<String, String> fields, List<String> queue) {
        String token = fields.getOrDefault(OURS + "token", "");
        List<Holder> holders = fields.entrySet().stream()
                .filter(field -> !field.getKey().startsWith(OURS))
                .limit(1)
                .map(field -> holder(field.getKey(), field.getValue(), token))
                .toList();
        // Redisson's holds do not tell their kind, but only its fair locks have a queue.
        boolean redissonFair = holders.stream().noneMatch(holder -> OwnerIds.isOurs(holder.owner()))
                && queue.stream().anyMatch(place -> !OwnerIds.isOurs(place));
        return new Holders(fair || redissonFair ? LockKind.FAIR : LockKind.REENTRANT, holders);
    }

    /** A holder whose hold is over is none, though its field may still be there. A writer's own reading does not count. */
    private static Holders ofReadWrite(Map<String, String> fields) {
        List<Holder> writers = new ArrayList<>();
        List<Holder> readers = new ArrayList<>();
        fields.forEach((field, holds) -> {
            String hold = fields.get(OURS + "hold:" + field);
            if (hold == null) {
                return;
            }
            String owner = ReadWriteProtocol.owner(field);
            String token = hold.indexOf(':') < 0 ? "" : hold.substring(hold.indexOf(':') + 1);
            if (!ReadWriteProtocol.isWriter(field)) {
                if (!hold.isEmpty()) {
                    readers.add(holder(owner, holds, token));
                }
            } else if (!OwnerIds.isOurs(owner) || !hold.isEmpty()) {
                // Another library's writer has no hold of its own.
                writers.add(holder(owner, holds, token));
            }
        });
        return writers.isEmpty() ? new Holders(LockKind.READ, readers) : new Holders(LockKind.WRITE, writers);
    }

    /** Each owner with its token; the script leaves those out whose permits have ended. Those first that have held longest. */
    private static Holders ofSemaphore(LockKind kind, Map<String, String> fields) {
        List<Holder> holders = fields.entrySet().stream()
                .filter(field -> !field.getKey().startsWith(OURS))
                .map(field -> holder(field.getKey(), "1", field.getValue()))
                .sorted(Comparator.comparingLong(holder -> holder.fencingToken().orElse(0)))
                .toList();
        return new Holders(kind, holders);
    }

    private static Holder holder(String owner, String holds, String token) {
        String[] parts = owner.split(":", -1);
        OptionalLong first = number(token);
        return new Holder(
                owner,
                parts[0],
                parts.length > 1 ? number(parts[1]) : OptionalLong.empty(),
                (int) number(holds).orElse(1),
                first,
                // A token tells when it was drawn, by the server's clock.
                first.isPresent()
                        ? Instant.EPOCH.plus(FencingTokens.drawn(first.getAsLong()), ChronoUnit.MICROS)
                        : null,
                null);
    }

    /** Redis holds what others wrote: it need not be a number. */
    private static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
