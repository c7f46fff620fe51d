package dev.holdfast.lock.test;

import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.test.LockHistory.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;

/** AssertJ assertions on the history and the state of locks. The message of each failure contains the whole history. */
public final class LockAssertions extends AbstractAssert<LockAssertions, InMemoryLockClient> {

    private LockAssertions(InMemoryLockClient locks) {
        super(locks, LockAssertions.class);
    }

    /**
     * Starts assertions on the locks of a client. Import it statically, beside AssertJ's methods of the same name.
     *
     * @param locks the client that the code under test used
     */
    public static LockAssertions assertThat(InMemoryLockClient locks) {
        return new LockAssertions(locks);
    }

    /** Verifies that the lock was acquired at least once. */
    public LockAssertions acquired(String lockName) {
        return check(count(lockName, LockEvent.Acquired.class) > 0, "Lock '%s' was not acquired".formatted(lockName));
    }

    /** Verifies that the lock was acquired exactly the given number of times. A nested acquisition by the holding thread does not count. */
    public LockAssertions acquired(String lockName, int times) {
        long was = count(lockName, LockEvent.Acquired.class);
        return check(was == times, "Lock '%s' was acquired %s times, not %s times".formatted(lockName, was, times));
    }

    /** Verifies that the lock was released at least once by its holder. */
    public LockAssertions released(String lockName) {
        return check(count(lockName, LockEvent.Released.class) > 0, "Lock '%s' was not released".formatted(lockName));
    }

    /** Verifies that the lock was never acquired. */
    public LockAssertions neverHeld(String lockName) {
        return check(count(lockName, LockEvent.Acquired.class) == 0, "Lock '%s' was acquired".formatted(lockName));
    }

    /** Verifies that the code under test holds the lock now. */
    public LockAssertions isHeld(String lockName) {
        return check(isHeldNow(lockName), "Lock '%s' is not held".formatted(lockName));
    }

    /** Verifies that the code under test does not hold the lock now. */
    public LockAssertions isNotHeld(String lockName) {
        return check(!isHeldNow(lockName), "Lock '%s' is held".formatted(lockName));
    }

    private boolean isHeldNow(String lockName) {
        return actual.heldLocks().stream().anyMatch(held -> actual.several.covers(held.lockName(), lockName));
    }

    /** Verifies that a caller waited for the lock, whether it then acquired the lock or gave up. */
    public LockAssertions wasWaitedFor(String lockName) {
        boolean waited = of(lockName).stream().anyMatch(LockAssertions::waited);
        return check(waited, "Nobody waited for lock '%s'".formatted(lockName));
    }

    private static boolean waited(LockEvent event) {
        return (event instanceof LockEvent.Acquired acquired
                        && !acquired.waited().isZero())
                || (event instanceof LockEvent.TimedOut busy && !busy.waited().isZero());
    }

    /** Verifies that a caller was refused the lock, because it was held until the caller's wait ended. */
    public LockAssertions wasBusy(String lockName) {
        return check(
                count(lockName, LockEvent.TimedOut.class) > 0, "No caller was refused lock '%s'".formatted(lockName));
    }

    /** Verifies that a holder lost the lock. */
    public LockAssertions wasLost(String lockName) {
        return check(count(lockName, LeaseLoss.class) > 0, "Lock '%s' was not lost".formatted(lockName));
    }

    /** Verifies that no holder lost the lock. */
    public LockAssertions neverLost(String lockName) {
        return check(count(lockName, LeaseLoss.class) == 0, "Lock '%s' was lost".formatted(lockName));
    }

    /** Verifies that a holder lost the lock for this cause. */
    public LockAssertions wasLost(String lockName, LossCause cause) {
        boolean lost =
                of(lockName).stream().anyMatch(event -> event instanceof LeaseLoss loss && loss.cause() == cause);
        return check(lost, "Lock '%s' was not lost for the cause %s".formatted(lockName, cause));
    }

    /** Verifies that each holder of the lock had a greater fencing token than the previous holder. */
    public LockAssertions tokensGrew(String lockName) {
        List<Long> tokens = new ArrayList<>();
        for (LockEvent event : of(lockName)) {
            if (event instanceof LockEvent.Acquired acquired) {
                tokens.add(acquired.fencingToken());
            }
        }
        acquired(lockName);
        for (int i = 1; i < tokens.size(); i++) {
            check(
                    tokens.get(i) > tokens.get(i - 1),
                    "The tokens of lock '%s' did not grow: %s".formatted(lockName, tokens));
        }
        return this;
    }

    /**
     * Verifies that the test added this {@linkplain InMemoryLockClient#note note} at least once, and that the lock was held each time.
     *
     * @param lockName the lock
     * @param note the note, such as one that a mock writes when it is called
     */
    public LockAssertions heldWhile(String lockName, String note) {
        Set<Long> held = new HashSet<>();
        int notes = 0;
        for (Entry entry : actual.history().entries()) {
            LockEvent event = entry.event();
            if (event == null && entry.note().equals(note)) {
                notes++;
                check(!held.isEmpty(), "Lock '%s' was not held when '%s' was noted".formatted(lockName, note));
            } else if (event != null && actual.several.covers(event.lockName(), lockName)) {
                follow(event, held);
            }
        }
        return check(notes > 0, "'%s' was never noted (lock '%s')".formatted(note, lockName));
    }

    private static void follow(LockEvent event, Set<Long> held) {
        if (event instanceof LockEvent.Acquired acquired) {
            held.add(acquired.fencingToken());
        } else if (event instanceof LockEvent.Released released) {
            held.remove(released.fencingToken());
        } else if (event instanceof LeaseLoss loss) {
            held.remove(loss.fencingToken());
        }
    }

    private List<LockEvent> of(String lockName) {
        List<LockEvent> events = new ArrayList<>();
        for (Entry entry : actual.history().entries()) {
            LockEvent event = entry.event();
            if (event != null && actual.several.covers(event.lockName(), lockName)) {
                events.add(event);
            }
        }
        return events;
    }

    private long count(String lockName, Class<? extends LockEvent> kind) {
        Predicate<LockEvent> isKind = kind::isInstance;
        return of(lockName).stream().filter(isKind).count();
    }

    private LockAssertions check(boolean holds, String problem) {
        if (!holds) {
            failWithMessage("%s", problem + ". What happened:\n" + actual.history());
        }
        return this;
    }
}
