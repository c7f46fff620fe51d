package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.RedisServer;
import java.util.List;

/** The connections of a server's clients, as it lists them. */
final class ClientConnections {

    private ClientConnections() {}

    static List<String> of(RedisServer server) {
        return server.cli()
                .clientList()
                .lines()
                .filter(ClientConnections::isClients)
                .toList();
    }

    /** Neither a replica's, a master's or a sentinel's, nor the one that asks. */
    private static boolean isClients(String connection) {
        return (connection.contains(" flags=N ") || connection.contains(" flags=P "))
                && !connection.contains(" name=sentinel-")
                && !connection.contains(" cmd=client|list ");
    }

    static long id(String connection) {
        return Long.parseLong(connection.substring(connection.indexOf("id=") + 3, connection.indexOf(' ')));
    }
}
