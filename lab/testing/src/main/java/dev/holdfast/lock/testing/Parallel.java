package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.DaemonThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Starts the servers of a group all at once; if one fails, the others are closed. */
final class Parallel {

    private Parallel() {}

    static List<RedisServer> start(int count, Supplier<RedisServer> start) {
        List<CompletableFuture<RedisServer>> starting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CompletableFuture<RedisServer> server = new CompletableFuture<>();
            starting.add(server);
            DaemonThreads.start("server-start-" + i, () -> complete(server, start));
        }
        try {
            return starting.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            starting.forEach(each -> each.thenAccept(RedisServer::close));
            throw e;
        }
    }

    static void close(List<RedisServer> servers) {
        servers.forEach(RedisServer::close);
    }

    private static void complete(CompletableFuture<RedisServer> server, Supplier<RedisServer> start) {
        try {
            server.complete(start.get());
        } catch (RuntimeException | Error e) {
            server.completeExceptionally(e);
        }
    }
}
