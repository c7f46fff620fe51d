package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A caller that wants a lock that nobody else of its client waits for. Most callers are served by their first question, and need no room. A room
 * takes the place of this entry, and the answer to its question, as soon as anything else happens: another waiter comes, this one gives up, or
 * it is refused and goes on waiting.
 */
final class LoneWaiter implements WaitingRooms.RoomEntry {

    final Waiter waiter;
    final WaitableLock grants;
    final GrantSource source;

    /** Set by {@link WaitingRooms} when a room takes over. */
    volatile @Nullable WaitingRoom room;

    LoneWaiter(Waiter waiter, WaitableLock grants) {
        this.waiter = waiter;
        this.grants = grants;
        this.source = grants.open();
    }

    /** Asks, unless a room has taken over: then null, and the room is to ask. */
    synchronized @Nullable CompletionStage<Answer> ask() {
        return room == null ? source.ask(waiter) : null;
    }

    /** Whether the answer ends the wait. */
    boolean endsWith(Answer answer) {
        if (answer instanceof Granted granted) {
            return waiter.isWaiting() && waiter.canUse(granted.grant());
        }
        return !waiter.waits() || (answer instanceof Unknown unknown && !unknown.isTransient());
    }

    void end(Answer answer) {
        if (answer instanceof Granted granted) {
            waiter.serve(grants.hold(granted.grant(), waiter, false));
        } else {
            source.leaveQueue();
            waiter.refuse(answer, grants);
        }
    }

    /** An answer that no room is left for: the question failed here after it was sent. */
    void discard(Answer answer) {
        if (answer instanceof Granted granted) {
            grants.giveBack(granted.grant());
        }
        source.leaveQueue();
    }

    @Override
    public int waiters() {
        return 1;
    }
}
