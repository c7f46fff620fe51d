package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a kind of lock is to waiters and holders. All of it is here; keys, arguments and answers are the protocol's. */
public enum KindTraits {
    PLAIN(LockKind.REENTRANT, Trait.GRANTED_BY_RELEASE, Trait.HANDED_OVER),
    FAIR(LockKind.FAIR, Trait.GRANTED_BY_RELEASE, Trait.IN_ORDER),
    READ(LockKind.READ, Trait.HELD_BY_SEVERAL, Trait.ENTERED_TOGETHER),
    WRITE(LockKind.WRITE, Trait.HANDED_OVER),
    SEMAPHORE(LockKind.SEMAPHORE, Trait.GRANTED_BY_RELEASE, Trait.HANDED_OVER, Trait.HELD_BY_SEVERAL, Trait.COUNTED),
    FAIR_SEMAPHORE(
            LockKind.FAIR_SEMAPHORE, Trait.GRANTED_BY_RELEASE, Trait.IN_ORDER, Trait.HELD_BY_SEVERAL, Trait.COUNTED),
    /** Several plain locks as one. */
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

    @SuppressWarnings("ImmutableEnumChecker") // Set.of makes it.
    private final Set<Trait> traits;

    KindTraits(LockKind kind, Trait... traits) {
        this.kind = kind;
        this.traits = Set.of(traits);
    }

    /** The traits of a lock with one name. */
    public static KindTraits of(LockKind kind) {
        KindTraits traits = OF_ONE_NAME.get(kind);
        if (traits == null) {
            throw new IllegalArgumentException("Unknown kind: " + kind);
        }
        return traits;
    }

    /** Whether a release in Redis may grant it to the next in the queue. If not, the next is told to ask. */
    public boolean isGrantedByRelease() {
        return traits.contains(Trait.GRANTED_BY_RELEASE);
    }

    /**
     * Whether a released grant may go to the next local waiter. A reader's goes to nobody, since the next one is as free to read as it was; a
     * fair one never past those who wait elsewhere.
     */
    public boolean isHandedOver() {
        return traits.contains(Trait.HANDED_OVER);
    }

    /** Whether it is granted in order of arrival over all clients, so each waiter needs a place of its own. */
    public boolean isInOrder() {
        return traits.contains(Trait.IN_ORDER);
    }

    /** Whether several holders may have it at once. */
    public boolean isHeldBySeveral() {
        return traits.contains(Trait.HELD_BY_SEVERAL);
    }

    /** Whether all who wait may have it as soon as one has, each by a grant that only its asker can hold. */
    public boolean isEnteredTogether() {
        return traits.contains(Trait.ENTERED_TOGETHER);
    }

    /** Whether a number of permits says how many may have it, so one more may be free while it is held. */
    public boolean isCounted() {
        return traits.contains(Trait.COUNTED);
    }

    /** Whether Redis may lose a part of it and keep the rest, which is then to be freed. */
    public boolean hasMembers() {
        return traits.contains(Trait.HAS_MEMBERS);
    }
}
