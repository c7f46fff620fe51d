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
 * The Redis that a lock client connects to. A source of addresses creates a Lettuce client with options that suit locks. A source of an application's
 * Lettuce client opens its own connections with the options of that client.
 *
 * <p>Immutable. A lock client that is started again opens its source again.
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
     * Returns a source of a simulated Redis in memory. Only the module {@code lock-test} can create one.
     *
     * @param opener opens the simulation's gateway at each start of a client
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
     * Returns a source of one server, or of the master that sentinels monitor.
     *
     * @param address {@code redis://…}, {@code rediss://…} or {@code redis-sentinel://…#master}
     */
    public static RedisSource of(String address) {
        return of(RedisURI.create(address));
    }

    /**
     * Returns a source of one server, or of the master that sentinels monitor.
     *
     * @param address the address of the server, or an address with the sentinels
     */
    public static RedisSource of(RedisURI address) {
        return replicated(address);
    }

    /**
     * Returns a source of a master and its replicas, given by their addresses and without sentinels. Locks use the server that is the master at the
     * time.
     *
     * @param nodes the addresses of all servers, as {@code redis://…} or {@code rediss://…}
     */
    public static RedisSource replicated(String... nodes) {
        return replicated(addresses(nodes));
    }

    /**
     * Returns a source of a master and its replicas, given by their addresses and without sentinels. Locks use the server that is the master at the
     * time.
     */
    public static RedisSource replicated(RedisURI... nodes) {
        List<RedisURI> addresses = atLeastOne(nodes);
        return new RedisSource(false, own -> own.master(addresses));
    }

    /**
     * Returns a source of a Redis cluster.
     *
     * @param seeds the addresses of some nodes of the cluster, as {@code redis://…} or {@code rediss://…}
     */
    public static RedisSource cluster(String... seeds) {
        return cluster(addresses(seeds));
    }

    /** Returns a source of a Redis cluster. */
    public static RedisSource cluster(RedisURI... seeds) {
        List<RedisURI> addresses = atLeastOne(seeds);
        return new RedisSource(true, own -> own.cluster(addresses));
    }

    /** Returns a source of an application's Lettuce client, which must have a default address. Closing the lock client does not shut it down. */
    public static RedisSource of(RedisClient client) {
        return of(() -> client);
    }

    /**
     * Returns a source of an application's Lettuce client, for an application that creates a new Lettuce client after a restart. The lock client
     * calls the supplier at each of its own starts.
     *
     * @param client supplies the Lettuce client, which must have a default address. Closing the lock client does not shut it down
     */
    public static RedisSource of(Supplier<? extends RedisClient> client) {
        return new RedisSource(false, own -> LettuceClients.of(client.get()));
    }

    /**
     * Returns a source of an application's cluster client, which finds the nodes. The lock client opens its own connections to them.
     *
     * @param client Closing the lock client does not shut it down
     * @param seed one of the client's seeds. Its credentials and TLS settings are used at all nodes
     */
    public static RedisSource of(RedisClusterClient client, RedisURI seed) {
        return new RedisSource(true, own -> LettuceClients.of(client, seed));
    }

    /**
     * Returns a source that uses the application's event loops instead of new ones. Has an effect only on a source of addresses.
     *
     * @param resources the application's resources. Closing the lock client does not shut them down
     */
    public RedisSource withResources(ClientResources resources) {
        return new RedisSource(separateSlots, nodes, resources, options, simulated);
    }

    /**
     * Returns a source that uses these options, for example for TLS keys and certificates. The settings that locks depend on (reconnects, queues,
     * timeouts) override them. Has an effect only on a source of addresses.
     */
    public RedisSource withOptions(ClientOptions options) {
        return new RedisSource(separateSlots, nodes, resources, options, simulated);
    }

    /**
     * Returns a source with which each script uses only keys of one slot, as with a cluster. For a service or proxy that distributes its keys over
     * several servers behind one address, but refuses no script, so that the client cannot detect it. Change this setting in all clients at once.
     */
    public RedisSource withSeparateSlots() {
        return new RedisSource(true, nodes, resources, options, simulated);
    }

    /** Returns whether the keys of one script must share a slot. */
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
                        nodes.apply(new LettuceClients(settings, resources, options)),
                        slots,
                        settings,
                        timer,
                        ticker,
                        Background.SYSTEM)
                : simulated;
    }
}
