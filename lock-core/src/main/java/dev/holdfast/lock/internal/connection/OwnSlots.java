package dev.holdfast.lock.internal.connection;

import io.lettuce.core.cluster.SlotHash;
import java.util.BitSet;

/**
 * The slots that a server says it has.
 *
 * @param slots their numbers
 */
public record OwnSlots(BitSet slots) {

    /** The number of slots of a cluster. */
    public static final int COUNT = SlotHash.SLOT_COUNT;

    /** All slots, which a server outside a cluster has. */
    public static final OwnSlots ALL = new OwnSlots(range(0, COUNT - 1));

    /** The number of words before the slots in a line of CLUSTER NODES. */
    private static final int WORDS_BEFORE = 8;

    /** Reads the answer to CLUSTER NODES. A replica has no slots. */
    static OwnSlots parse(String nodes) {
        BitSet slots = new BitSet();
        for (String line : nodes.lines().toList()) {
            String[] words = line.strip().split(" ", -1);
            for (int i = WORDS_BEFORE; i < words.length && words[2].contains("myself"); i++) {
                // A slot in brackets is moving: it is listed without them where it still is.
                if (!words[i].startsWith("[")) {
                    String[] ends = words[i].split("-", 2);
                    slots.or(range(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])));
                }
            }
        }
        return new OwnSlots(slots);
    }

    private static BitSet range(int first, int last) {
        BitSet range = new BitSet();
        range.set(first, last + 1);
        return range;
    }
}
