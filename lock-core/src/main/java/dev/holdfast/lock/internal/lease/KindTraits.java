package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The traits of a kind of lock that waiters and holders depend on. This class has all of them; keys, arguments and answers belong to the protocol.
 */
public enum KindTraits {
    PLAIN(LockKind.REENTRANT, Trait.GRANTED_BY_RELEASE, Trait.HANDED_OVER),
    FAIR(LockKind.FAIR, Trait.GRANTED_BY_RELEASE, Trait.IN_ORDER),
    READ(LockKind.READ, Trait.HELD_BY_SEVERAL, Trait.ENTERED_TOGETHER),
    WRITE(LockKind.WRITE, Trait.HANDED_OVER),
    SEMAPHORE(LockKind.SEMAPHORE, Trait.GRANTED_BY_RELEASE, Trait.HANDED_OVER, Trait.HELD_BY_SEVERAL, Trait.COUNTED),
    FAIR_SEMAPHORE(
            LockKind.FAIR_SEMAPHORE, Trait.GRANTED_BY_RELEASE, Trait.IN_ORDER, Trait.HELD_BY_SEVERAL, Trait.COUNTED),
    /** Several plain locks as one lock. */
    SEVERAL_NAMES(LockKind.REENTRANT, Trait.HANDED_OVER, Trait.HAS_MEMBERS);

    private enum Trait {
        GRANTED_BY_RELEASE,
        HANDED_OVER,
        IN_ORDER,
        HELD_BY_SEVERAL,
        ENTERED_TOGETHER,
        COUNTED,
        HAS_MEMBERS
    }

    private static final Map<LockKind, KindTraits> OF_ONE_NAME = Arrays.stream(values())
            .filter(traits -> !traits.hasMembers())
            .collect(Collectors.toMap(traits -> traits.kind, Function.identity()));

    private final LockKind kind;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of returns an immutable set.
    private final Set<Trait> traits;

    KindTraits(LockKind kind, Trait... traits) {
        this.kind = kind;
        this.traits = Set.of(traits);
    }

    /** Returns the traits of a lock with one name. */
    public static KindTraits of(LockKind kind) {
        KindTraits traits = OF_ONE_NAME.get(kind);
        if (traits == null) {
            throw new IllegalArgumentException("Unknown kind: " + kind);
        }
        return traits;
    }

    /** Returns whether a release in Redis may grant the lock to the next place in the queue. If not, the release tells this place to ask. */
    public boolean isGrantedByRelease() {
        return traits.contains(Trait.GRANTED_BY_RELEASE);
    }

    /**
     * Returns whether a released grant may be handed over to the next local waiter. A reader's grant is not handed over, because the next reader can
     * acquire the lock at any time. A grant of a fair lock is not handed over, because it would skip waiters of other clients.
     */
    public boolean isHandedOver() {
        return traits.contains(Trait.HANDED_OVER);
    }

    /** Returns whether the lock is granted in the order of arrival over all clients. Each waiter then needs its own place in the queue. */
    public boolean isInOrder() {
        return traits.contains(Trait.IN_ORDER);
    }

    /** Returns whether several holders may have the lock at once. */
    public boolean isHeldBySeveral() {
        return traits.contains(Trait.HELD_BY_SEVERAL);
    }

    /**
     * Returns whether all waiters may have the lock as soon as one of them has it. Each waiter then needs its own grant, which nobody else can use.
     */
    public boolean isEnteredTogether() {
        return traits.contains(Trait.ENTERED_TOGETHER);
    }

    /** Returns whether a number of permits limits the holders. One more permit may then be free while others are held. */
    public boolean isCounted() {
        return traits.contains(Trait.COUNTED);
    }

    /** Returns whether the lock consists of several locks in Redis. Redis may lose one of them; the others must then be released. */
    public boolean hasMembers() {
        return traits.contains(Trait.HAS_MEMBERS);
    }
}
