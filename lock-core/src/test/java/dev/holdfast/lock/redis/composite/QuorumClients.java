package dev.holdfast.lock.redis.composite;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.composite.QuorumLock;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Independent servers, each behind a proxy, and applications that have a client for each of them. */
final class QuorumClients implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(2);

    final List<RedisServer> servers;
    final List<FaultProxy> proxies;
    private final List<LockClient> clients = new ArrayList<>();

    QuorumClients(int size) {
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
                        .watchdogTimeout(LEASE)
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
        return alive().filter(server -> server.cli().exists(name) == 1).count();
    }

    private Stream<RedisServer> alive() {
        return servers.stream().filter(RedisServer::isAlive);
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
