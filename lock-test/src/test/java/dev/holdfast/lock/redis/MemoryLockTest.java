package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.redis.contract.LockContract;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.test.memory.Delivery;
import dev.holdfast.lock.test.memory.MemoryGateway;
import dev.holdfast.lock.test.memory.MemoryGateway.Traffic;
import dev.holdfast.lock.test.memory.MemoryRedis;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;

/** The Redis in memory, which runs the scripts of a real one. */
@Tag("every-kind")
class MemoryLockTest extends LockContract {

    @Override
    protected Topology open() {
        MemoryRedis server = new MemoryRedis(Ticker.system(), Instant.now(), new Delivery());
        RedisCommands<String, String> cli = cli(server);
        return new Topology(
                () -> RedisSource.simulated(
                        (settings, timer, ticker) -> new MemoryGateway(server, Traffic.DIRECT, ticker)),
                key -> cli,
                () -> {});
    }

    /** The few commands by which the contract looks at its servers. */
    @SuppressWarnings("unchecked")
    private static RedisCommands<String, String> cli(MemoryRedis server) {
        return (RedisCommands<String, String>) Proxy.newProxyInstance(
                MemoryLockTest.class.getClassLoader(),
                new Class<?>[] {RedisCommands.class},
                (proxy, method, args) -> answer(server, method.getName(), args));
    }

    private static Object answer(MemoryRedis server, String command, Object[] args) {
        return switch (command) {
            case "hashCode" -> 1;
            case "equals" -> true;
            case "exists", "del" -> server.command(command, (String[]) args[0]);
            case "pexpire" ->
                server.command(command, (String) args[0], args[1].toString()).equals(1L);
            case "get", "pttl" -> server.command(command, (String) args[0]);
            case "lrange" -> server.command(command, (String) args[0], args[1].toString(), args[2].toString());
            case "hgetall" -> map((List<?>) server.command(command, (String) args[0]));
            case "keys" -> matching(server.keys(), (String) args[0]);
            case "pubsubChannels" -> matching(server.channelNames(), (String) args[0]);
            case "pubsubShardChannels" -> List.of();
            default -> throw new UnsupportedOperationException(command);
        };
    }

    private static Map<String, String> map(List<?> flat) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            map.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return map;
    }

    private static List<String> matching(List<String> names, String glob) {
        Pattern pattern = Pattern.compile("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E");
        return names.stream().filter(name -> pattern.matcher(name).matches()).toList();
    }
}
