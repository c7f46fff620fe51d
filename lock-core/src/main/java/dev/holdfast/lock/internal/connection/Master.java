package dev.holdfast.lock.internal.connection;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * A server with keys of its own. Its commands go to this server and to no other one, whatever slots it has by then.
 *
 * @param name how messages name the server
 * @param isOfCluster whether it has only some of the slots
 * @param sender sends a command with its arguments
 */
public record Master(
        String name, boolean isOfCluster, BiFunction<String, List<String>, CompletableFuture<List<Object>>> sender) {

    /**
     * Runs a command without a key.
     *
     * @param command the command's name in capitals
     */
    public CompletableFuture<List<Object>> command(String command, String... args) {
        return sender.apply(command, List.of(args));
    }

    /** Returns the slots that the server says it has now. */
    public CompletableFuture<OwnSlots> slots() {
        return isOfCluster
                ? command("CLUSTER", "NODES").thenApply(answer -> OwnSlots.parse((String) answer.get(0)))
                : CompletableFuture.completedFuture(OwnSlots.ALL);
    }
}
