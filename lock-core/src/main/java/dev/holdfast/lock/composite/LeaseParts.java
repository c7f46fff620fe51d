package dev.holdfast.lock.composite;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.internal.thread.MemberLease;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The members of a composite lease, so many of which are needed. A late one may be added. */
final class LeaseParts {

    private final List<Lease> parts;
    private final int needed;

    LeaseParts(List<Lease> parts, int needed) {
        this.parts = new CopyOnWriteArrayList<>(parts);
        this.needed = needed;
    }

    int needed() {
        return needed;
    }

    int count() {
        return parts.size();
    }

    void add(Lease late) {
        parts.add(late);
    }

    /** Takes a step for each part that is lost. */
    void whenLost(Consumer<LeaseLoss> step) {
        parts.forEach(part -> whenLost(part, step));
    }

    static void whenLost(Lease part, Consumer<LeaseLoss> step) {
        if (part instanceof MemberLease member) {
            Steps.when(member.loss(), (loss, failure) -> step.accept(loss));
        } else {
            part.onLost(loss -> Steps.run(() -> step.accept(loss)));
        }
    }

    /** Whether as many are held as are needed. */
    boolean areEnough() {
        return parts.stream().filter(Lease::isHeld).count() >= needed;
    }

    /** How long as many as are needed stay valid. */
    Duration remaining() {
        return parts.stream()
                .map(Lease::remaining)
                .sorted(Comparator.reverseOrder())
                .skip(needed - 1L)
                .findFirst()
                .orElse(Duration.ZERO);
    }

    /** Asks one after another, until the rest cannot change the result. */
    Confirmations verify() {
        Confirmations confirmations = new Confirmations(needed, parts.size());
        for (Lease part : parts) {
            if (confirmations.areDecided()) {
                break;
            }
            confirmations.count(part::verify);
        }
        return confirmations;
    }

    /** Asks all. */
    Confirmations extend(Duration lease) {
        Confirmations confirmations = new Confirmations(needed, parts.size());
        for (Lease part : parts) {
            confirmations.count(() -> {
                try {
                    part.extend(lease);
                    return true;
                } catch (IllegalMonitorStateException gone) {
                    return false;
                }
            });
        }
        return confirmations;
    }

    void maxHold(Duration maxHold) {
        for (Lease part : parts) {
            try {
                part.maxHold(maxHold);
            } catch (IllegalMonitorStateException gone) {
                // The others decide whether the whole is held.
            }
        }
    }

    MemberReleases release(long keepNanos) {
        return MemberReleases.of(parts, keepNanos);
    }
}
