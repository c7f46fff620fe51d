package dev.holdfast.lock.internal.connection;

import io.lettuce.core.cluster.SlotHash;
import java.util.BitSet;

/**
 * The slots that a server says it has.
 *
 * @param slots their numbers
 * @param areMoving whether keys of one of them may be at another server
 */
public record OwnSlots(BitSet slots, boolean areMoving) {

    /** The number of slots of a cluster. */
    public static final int COUNT = SlotHash.SLOT_COUNT;

    /** All slots, which a server outside a cluster has. */
    public static final OwnSlots ALL = new OwnSlots(range(0, COUNT - 1), false);

    /** The number of words before the slots in a line of CLUSTER NODES. */
    private static final int WORDS_BEFORE = 8;

    /** Reads the answer to CLUSTER NODES. A replica has no slots. */
    static OwnSlots parse(String nodes) {
        BitSet slots = new BitSet();
        boolean areMoving = false;
        for (String line : nodes.lines().toList()) {
            String[] words = line.strip().split(" ", -1);
            for (int i = WORDS_BEFORE; i < words.length && words[2].contains("myself"); i++) {
                if (words[i].startsWith("[")) {
                    areMoving = true;
                } else {
                    String[] ends = words[i].split("-", 2);
                    slots.or(range(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])));
                }
            }
        }
        return new OwnSlots(slots, areMoving);
    }

    private static BitSet range(int first, int last) {
        BitSet range = new BitSet();
        range.set(first, last + 1);
        return range;
    }
}
