package dev.holdfast.lock.internal.connection;

import io.lettuce.core.cluster.SlotHash;
import java.util.BitSet;
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

    /** The number of slots of a cluster. */
    public static final int SLOTS = SlotHash.SLOT_COUNT;
    /** The number of words before the slots in a line of CLUSTER NODES. */
    private static final int WORDS_BEFORE_SLOTS = 8;

    /**
     * Runs a command without a key.
     *
     * @param command the command's name in capitals
     */
    public CompletableFuture<List<Object>> command(String command, String... args) {
        return sender.apply(command, List.of(args));
    }

    /** Returns the slots that the server says it has now. A server outside a cluster has all. */
    public CompletableFuture<BitSet> slots() {
        return isOfCluster
                ? command("CLUSTER", "NODES").thenApply(answer -> slots((String) answer.get(0)))
                : CompletableFuture.completedFuture(range(0, SLOTS - 1));
    }

    /** Reads the answer to CLUSTER NODES. A replica has no slots. */
    static BitSet slots(String nodes) {
        BitSet slots = new BitSet();
        for (String line : nodes.lines().toList()) {
            String[] words = line.strip().split(" ", -1);
            for (int i = WORDS_BEFORE_SLOTS; i < words.length && words[2].contains("myself"); i++) {
                // A slot in brackets is moving: it is listed without them where it still is.
                if (!words[i].startsWith("[")) {
                    String[] ends = words[i].split("-", 2);
                    slots.or(range(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])));
                }
            }
        }
        return slots;
    }

    private static BitSet range(int first, int last) {
        BitSet range = new BitSet();
        range.set(first, last + 1);
        return range;
    }
}
