package dev.holdfast.lock.internal.inspect;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockState.Holder;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Reads who holds a lock, in this client or elsewhere, and frees it by force. */
public final class LockInspector {

    private static final Script INSPECT = Script.load(LockProtocol.class, "inspect");
    private static final Script FORCE = Script.load(LockProtocol.class, "force");
    private static final String OURS = "holdfast:";

    private final RedisGateway gateway;
    private final LockKeys keys;

    public LockInspector(RedisGateway gateway, LockKeys keys) {
        this.gateway = gateway;
        this.keys = keys;
    }

    public CompletableFuture<Boolean> forceRelease(String key, String channel) {
        List<String> names = List.of(key, keys.tokenKey(key), keys.line(key), keys.lineDeadlines(key));
        List<String> args =
                List.of(channel, keys.clusterFlag(), keys.readWriteChannel(key), keys.holds(key), keys.wakePrefix(key));
        return gateway.run(FORCE, names, args).thenApply(answer -> (Long) answer.get(0) == 1);
    }

    public CompletableFuture<Optional<LockState>> inspect(String name, String key, int waitersHere) {
        return gateway.run(INSPECT, List.of(key, keys.line(key)), List.of(keys.holds(key)))
                .thenApply(answer -> state(name, answer, waitersHere));
    }

    private static Optional<LockState> state(String name, List<Object> answer, int waitersHere) {
        if (answer.contains(ReadWriteHolders.MODE)) {
            return ReadWriteHolders.of(answer).state(name, (Long) answer.get(0), waitersHere);
        }
        if (PermitHolders.isSemaphore(answer)) {
            return PermitHolders.state(name, answer, queue((List<?>) answer.get(1)), waitersHere);
        }
        Map<String, String> extra = new HashMap<>();
        String owner = null;
        String holds = "1";
        List<String> queue = queue((List<?>) answer.get(1));
        for (int i = 2; i < answer.size(); i += 2) {
            String field = (String) answer.get(i);
            String value = (String) answer.get(i + 1);
            if (field.startsWith(OURS)) {
                extra.put(field, value);
            } else if (owner == null) {
                owner = field;
                holds = value;
            }
        }
        if (owner == null) {
            return Optional.empty();
        }
        long left = (Long) answer.get(0);
        Holder holder = holder(owner, holds, extra.getOrDefault(OURS + "token", ""));
        return Optional.of(new LockState(
                name,
                "fair".equals(extra.get(OURS + "kind")) || isRedissonFair(owner, queue)
                        ? LockKind.FAIR
                        : LockKind.REENTRANT,
                List.of(holder),
                queue,
                left < 0 ? null : Duration.ofMillis(left),
                waitersHere));
    }

    /** Redisson's holds do not tell their kind, but only its fair locks have a queue. */
    private static boolean isRedissonFair(String owner, List<String> queue) {
        return !OwnerIds.isOurs(owner) && queue.stream().anyMatch(place -> !OwnerIds.isOurs(place));
    }

    private static List<String> queue(List<?> owners) {
        return owners.stream().map(String.class::cast).toList();
    }

    static Holder holder(String owner, String holds, String token) {
        String[] parts = owner.split(":", -1);
        return new Holder(
                owner,
                parts[0],
                parts.length > 1 ? number(parts[1]) : OptionalLong.empty(),
                (int) number(holds).orElse(1),
                number(token));
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
