package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.RedisServer;
import java.util.List;

/** Finds the connections of lock clients in a server's list. */
final class ClientConnections {

    private ClientConnections() {}

    static List<String> of(RedisServer server) {
        return server.cli()
                .clientList()
                .lines()
                .filter(ClientConnections::isClients)
                .toList();
    }

    /** Excludes the connections of replicas, masters and sentinels, and the connection that requests the list. */
    private static boolean isClients(String connection) {
        return (connection.contains(" flags=N ") || connection.contains(" flags=P "))
                && !connection.contains(" name=sentinel-")
                && !connection.contains(" cmd=client|list ");
    }

    static long id(String connection) {
        return Long.parseLong(connection.substring(connection.indexOf("id=") + 3, connection.indexOf(' ')));
    }
}
