package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockKind;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which the code at hand runs, the innermost first. An immutable chain, so that it can be handed to another thread or travel
 * in a Reactor context.
 */
final class Holds {

    static final Holds NONE = new Holds(null, null);

    private static final ThreadLocal<@Nullable Holds> HERE = new ThreadLocal<>();

    private final @Nullable Hold innermost;
    private final @Nullable Holds outer;

    private Holds(@Nullable Hold innermost, @Nullable Holds outer) {
        this.innermost = innermost;
        this.outer = outer;
    }

    /** Those of this thread. */
    static Holds here() {
        Holds holds = HERE.get();
        return holds == null ? NONE : holds;
    }

    /** Makes these the thread's, whatever it had. */
    void becomeCurrent() {
        if (outer == null) {
            HERE.remove();
        } else {
            HERE.set(this);
        }
    }

    static void enter(Hold hold) {
        here().with(hold).becomeCurrent();
    }

    /** Not simply the innermost one: a hold that a transaction keeps outlives the call that took it. */
    static void leave(Hold hold) {
        here().without(hold).becomeCurrent();
    }

    Holds with(Hold hold) {
        return new Holds(hold, this);
    }

    Holds without(Hold hold) {
        if (innermost == null || outer == null) {
            return this;
        }
        return innermost.equals(hold) ? outer : outer.without(hold).with(innermost);
    }

    /** The innermost valid hold under which that lock need not be asked for. */
    @Nullable
    Hold covering(Object realm, String name, LockKind kind) {
        for (Holds at = this; at != null && at.innermost != null; at = at.outer) {
            Hold hold = at.innermost;
            if (hold.realm() == realm && hold.covers(name, kind) && hold.lease().isHeld()) {
                return hold;
            }
        }
        return null;
    }

    /** Whether asking for that lock would be waiting for oneself. */
    boolean block(Object realm, String name, LockKind kind) {
        for (Holds at = this; at != null && at.innermost != null; at = at.outer) {
            Hold hold = at.innermost;
            if (hold.realm() == realm && hold.blocks(name, kind) && hold.lease().isHeld()) {
                return true;
            }
        }
        return false;
    }
}
