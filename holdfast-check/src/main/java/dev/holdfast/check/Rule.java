package dev.holdfast.check;

import java.util.EnumSet;
import java.util.Set;

/** A rule that the checker checks. */
public enum Rule {
    /** Two grants of a lock never have the same token. */
    TOKEN_ONCE("token given twice"),
    /** A caller that requests a lock after another caller's grant gets a greater token. */
    TOKENS_GROW("token not greater"),
    /** A register accepts no token below one that it has seen. */
    STALE_ACCEPTED("stale write accepted"),
    /** A write is not refused because of a grant that was answered before the writer requested its lock. */
    RIGHTFUL_REFUSED("rightful holder refused"),
    /** The times of two holders do not overlap, unless both are readers. */
    ONE_HOLDER("two holders"),
    /** If a lease ends before its release, its holder is notified once. No other holder is notified. */
    LOSS_ONCE("loss not reported once"),
    /** A loss is reported soon after the lease first says that it is not held. */
    LOSS_IN_TIME("loss reported late"),
    /** A free lock is granted to a waiter. */
    FREE_LOCK_GRANTED("free lock not granted"),
    /** A wait ends in time. */
    WAIT_ENDS("wait overrun"),
    /** After the run, Redis has no lock, and a process has no more threads or connections than before. */
    NOTHING_LEFT("left behind");

    /** The rules that make a lock safe. */
    public static final Set<Rule> SAFETY =
            EnumSet.of(TOKEN_ONCE, TOKENS_GROW, STALE_ACCEPTED, RIGHTFUL_REFUSED, ONE_HOLDER);

    private final String title;

    Rule(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
