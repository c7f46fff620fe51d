package dev.holdfast.lock.chaos;

import java.util.EnumSet;
import java.util.Set;

/** What the checker looks for. */
enum Rule {
    /** No token of a lock goes to two grants. */
    TOKEN_ONCE("token given twice"),
    /** Who asks after another's grant gets a greater token. */
    TOKENS_GROW("token not greater"),
    /** A register accepts no token below one that it has seen. */
    STALE_ACCEPTED("stale write accepted"),
    /** No write is refused because of a grant that was over before its holder asked. */
    RIGHTFUL_REFUSED("rightful holder refused"),
    /** The times of two holders do not overlap, readers apart. */
    ONE_HOLDER("two holders"),
    /** A holder whose lease ended before its release hears of it, once; nobody else does. */
    LOSS_ONCE("loss not reported once"),
    /** And not much later than the lease said so itself. */
    LOSS_IN_TIME("loss reported late"),
    /** A lock that is free goes to a waiter. */
    FREE_LOCK_GRANTED("free lock not granted"),
    /** A wait ends when it should. */
    WAIT_ENDS("wait overrun"),
    /** After the run Redis has no lock, and a process no thread or connection more than before. */
    NOTHING_LEFT("left behind");

    /** What a lock is for. */
    static final Set<Rule> SAFETY = EnumSet.of(TOKEN_ONCE, TOKENS_GROW, STALE_ACCEPTED, RIGHTFUL_REFUSED, ONE_HOLDER);

    private final String title;

    Rule(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
