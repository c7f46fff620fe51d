package dev.holdfast.lock.testing;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** A host name that leads to one server and later to another, as the address of a managed service does when it moves the database. */
public final class MovingName implements AutoCloseable {

    private static final String HOST = "database.holdfast.test";

    private volatile int port;
    private final ClientResources resources = ClientResources.builder()
            .socketAddressResolver(new SocketAddressResolver(DnsResolvers.UNRESOLVED) {
                @Override
                public SocketAddress resolve(RedisURI address) {
                    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
                }
            })
            .build();

    private MovingName(int port) {
        this.port = port;
    }

    public static MovingName of(RedisServer server) {
        return new MovingName(server.port());
    }

    /** Leads to another server from now on. Connections that exist stay where they are. */
    public void moveTo(RedisServer server) {
        port = server.port();
    }

    /** The address, which does not change. */
    public RedisURI uri() {
        return RedisURI.create(HOST, RedisURI.DEFAULT_REDIS_PORT);
    }

    /** What finds the server at each new connection. */
    public ClientResources resources() {
        return resources;
    }

    @Override
    public void close() {
        resources.shutdown(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
