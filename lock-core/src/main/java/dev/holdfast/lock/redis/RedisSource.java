package dev.holdfast.lock.redis;

import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.LettuceClients;
import dev.holdfast.lock.internal.connection.LettuceGateway;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.connection.RedisTopology;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a lock client finds its Redis. A source of addresses creates a Lettuce client with options that suit locks. A source of the application's
 * Lettuce client opens its own connections, with that client's options.
 *
 * <p>Immutable. A lock client that starts again opens its source again.
 */
@CheckReturnValue
public final class RedisSource {

    private final boolean separateSlots;
    private final Function<LettuceClients, RedisTopology> nodes;
    private final @Nullable ClientResources resources;
    private final @Nullable ClientOptions options;
    private final RedisGateway.@Nullable Opener simulated;

    private RedisSource(boolean separateSlots, Function<LettuceClients, RedisTopology> nodes) {
        this(separateSlots, nodes, null, null, null);
    }

    private RedisSource(
            boolean separateSlots,
            Function<LettuceClients, RedisTopology> nodes,
            @Nullable ClientResources resources,
            @Nullable ClientOptions options,
            RedisGateway.@Nullable Opener simulated) {
        this.separateSlots = separateSlots;
        this.nodes = nodes;
        this.resources = resources;
        this.options = options;
        this.simulated = simulated;
    }

    /**
     * A simulated Redis in memory. Only the module {@code lock-test} can create one.
     *
     * @param opener opens its gateway at each start of a client
     */
    @SuppressWarnings("exports")
    public static RedisSource simulated(RedisGateway.Opener opener) {
        return new RedisSource(
                false,
                own -> {
                    throw new IllegalStateException("A Redis in memory has no nodes");
                },
                null,
                null,
                opener);
    }

    /**
     * One server, or the master that sentinels monitor.
     *
     * @param address {@code redis://…}, {@code rediss://…} or {@code redis-sentinel://…#master}
     */
    public static RedisSource of(String address) {
        return of(RedisURI.create(address));
    }

    /**
     * One server, or the master that sentinels monitor.
     *
     * @param address the server's address, or one with sentinels
     */
    public static RedisSource of(RedisURI address) {
        return replicated(address);
    }

    /**
     * A master and its replicas by their addresses, without sentinels. Locks use the one that is the master.
     *
     * @param nodes all of them, as {@code redis://…} or {@code rediss://…}
     */
    public static RedisSource replicated(String... nodes) {
        return replicated(addresses(nodes));
    }

    /** A master and its replicas by their addresses, without sentinels. Locks use the one that is the master. */
    public static RedisSource replicated(RedisURI... nodes) {
        List<RedisURI> addresses = atLeastOne(nodes);
        return new RedisSource(false, own -> RedisTopology.master(addresses, own));
    }

    /**
     * A Redis cluster.
     *
     * @param seeds some of its nodes, as {@code redis://…} or {@code rediss://…}
     */
    public static RedisSource cluster(String... seeds) {
        return cluster(addresses(seeds));
    }

    /** A Redis cluster. */
    public static RedisSource cluster(RedisURI... seeds) {
        List<RedisURI> addresses = atLeastOne(seeds);
        return new RedisSource(true, own -> RedisTopology.cluster(addresses, own));
    }

    /** The application's own Lettuce client, which must have a default address. Closing the lock client does not shut it down. */
    public static RedisSource of(RedisClient client) {
        return of(() -> client);
    }

    /**
     * An application's client that may be another one after a restart. The lock client calls the supplier each time it starts.
     *
     * @param client supplies the application's client, which must have a default address and is not shut down with the lock client
     */
    public static RedisSource of(Supplier<? extends RedisClient> client) {
        return new RedisSource(false, own -> RedisTopology.of(client.get()));
    }

    /** An application's cluster client. It is not shut down with the lock client. */
    public static RedisSource of(RedisClusterClient client) {
        return new RedisSource(true, own -> RedisTopology.of(client));
    }

    /**
     * Uses the application's event loops instead of new ones. Only for a source of addresses.
     *
     * @param resources the application's; not shut down with the lock client
     */
    public RedisSource withResources(ClientResources resources) {
        return new RedisSource(separateSlots, nodes, resources, options, simulated);
    }

    /**
     * Starts from these options, for TLS material and the like. What locks depend on (reconnects, queues, time limits) overrides them. Only for a
     * source of addresses.
     */
    public RedisSource withOptions(ClientOptions options) {
        return new RedisSource(separateSlots, nodes, resources, options, simulated);
    }

    /**
     * Uses keys of one slot in each script, as with a cluster. For a service or a proxy that spreads its keys over several servers behind one address
     * and refuses no script, so that the client cannot find this out. Set it for all clients at once.
     */
    public RedisSource withSeparateSlots() {
        return new RedisSource(true, nodes, resources, options, simulated);
    }

    /** Whether the keys of one script must share a slot. */
    public boolean hasSeparateSlots() {
        return separateSlots;
    }

    private static RedisURI[] addresses(String... addresses) {
        return Arrays.stream(addresses).map(RedisURI::create).toArray(RedisURI[]::new);
    }

    private static List<RedisURI> atLeastOne(RedisURI... addresses) {
        if (addresses.length == 0) {
            throw new IllegalArgumentException("At least one address is needed");
        }
        return List.of(addresses);
    }

    Background background() {
        return simulated == null ? Background.SYSTEM : simulated.background();
    }

    RedisGateway.Opener opener(KeySlots slots) {
        return simulated == null
                ? (settings, timer, ticker) -> new LettuceGateway(
                        nodes.apply(new LettuceClients(settings, resources, options)), slots, settings, timer, ticker)
                : simulated;
    }
}
