package dev.holdfast.lock.redis.composite;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Independent servers, each behind a proxy, and applications that have a client for each of them. */
final class QuorumClients implements AutoCloseable {

    /** Long enough that a stalled machine loses no lease. */
    static final Duration LEASE = Duration.ofSeconds(6);

    /** For tests that wait for its end, or for the renewals that take parts again. */
    static final Duration SHORT_LEASE = Duration.ofSeconds(3);

    final List<RedisServer> servers;
    final List<FaultProxy> proxies;
    private final List<LockClient> clients = new ArrayList<>();
    private final Duration lease;

    QuorumClients(int size) {
        this(size, LEASE);
    }

    QuorumClients(int size, Duration lease) {
        this.lease = lease;
        servers = IntStream.range(0, size).mapToObj(i -> RedisServer.start()).toList();
        proxies = servers.stream().map(server -> FaultProxy.to(server.port())).toList();
    }

    /** One more application. */
    List<LockClient> application() {
        return application(Duration.ofMillis(700));
    }

    List<LockClient> application(Duration commandTimeout) {
        List<LockClient> application = proxies.stream()
                .map(proxy -> Waits.client(proxy)
                        .watchdogTimeout(lease)
                        .commandTimeout(commandTimeout)
                        // Whoever wakes was woken by a message, or by the quorum lock itself.
                        .pollInterval(Duration.ofSeconds(40))
                        .build())
                .toList();
        clients.addAll(application);
        // From here on the connections stand.
        QuorumLock.of("first", application).lock();
        QuorumLock.of("first", application).unlock();
        application.forEach(client -> {
            client.getLock("second").lock();
            client.getLock("second").unlock();
        });
        return application;
    }

    /** On how many servers the lock is taken. */
    long taken(String name) {
        return servers.stream()
                .filter(server -> server.isAlive() && server.cli().exists(name) == 1)
                .count();
    }

    static LeaseLock lock(String name, List<LockClient> application) {
        return QuorumLock.of(name, application);
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::heal);
        clients.forEach(LockClient::close);
        proxies.forEach(FaultProxy::close);
        servers.forEach(RedisServer::close);
    }
}
