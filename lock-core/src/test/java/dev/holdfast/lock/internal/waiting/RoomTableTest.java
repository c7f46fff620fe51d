package dev.holdfast.lock.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Unknown;
import dev.holdfast.lock.internal.waiting.WaitingRoom.Phase;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Plays every event in every phase of a room, with all that can follow, and compares it with the table of {@code docs/contributing/architecture.md}. */
class RoomTableTest {

    /** A room in one phase, and what decides about its next one. */
    private static final class Played extends PlayedLock {

        final WaitingRoom room = new WaitingRoom(rooms, ROOM, this);
        private final List<Waiter> present = new ArrayList<>();

        /** Brings it there. */
        Played in(Phase phase, int others) {
            switch (phase) {
                // Somebody is about to come, or the room would end.
                case IDLE -> room.waiters().expect();
                case ASKING -> enter(1 + others);
                case SLEEPING -> {
                    enter(1 + others);
                    answer(busy());
                }
                case AWAITING_LOCAL_RELEASE -> {
                    heldHere = true;
                    enter(1 + others);
                }
                case ASKING_FOR_ALL -> {
                    kind = LockKind.READ;
                    enter(3 + others);
                    answer(grant());
                }
                case CLOSED -> {
                    enter(1);
                    leave();
                    answer(busy());
                }
            }
            return this;
        }

        private boolean enter(int number) {
            for (int i = 0; i < number; i++) {
                if (!enters(Waiter.FOREVER)) {
                    return false;
                }
            }
            return true;
        }

        boolean enters(long wait) {
            Waiter waiter = waiter(wait);
            present.add(waiter);
            return room.entered(waiter);
        }

        Optional<Waiter> head() {
            return present.stream().filter(Waiter::isWaiting).findFirst();
        }

        private boolean leave() {
            return head().filter(waiter -> waiter.cancel(false))
                    .map(waiter -> happens(() -> room.gaveUp(waiter)))
                    .orElse(false);
        }

        boolean happens(Runnable event) {
            event.run();
            return true;
        }

        boolean toHead(Consumer<Waiter> event) {
            return head().map(waiter -> happens(() -> event.accept(waiter))).orElse(false);
        }

        /** Answers the last request, if there is one. */
        boolean answered(Answer answer) {
            boolean isAsked = room.phase() == Phase.ASKING || room.phase() == Phase.ASKING_FOR_ALL;
            if (isAsked) {
                answer(answer);
            }
            return isAsked;
        }

        /** Answers all requests for all. */
        boolean answerAll(boolean grants) {
            if (room.phase() != Phase.ASKING_FOR_ALL) {
                return false;
            }
            // The first of them had the lock alone.
            List.copyOf(asked.subList(1, asked.size())).forEach(waiter -> answer(waiter, grants ? grant() : busy()));
            return true;
        }

        /** A message arrives before the answer, which is older than the message. */
        boolean answeredAfterMessage() {
            boolean isSignaled = room.phase().isRequesting() && happens(room::signaled);
            return isSignaled && answered(busy());
        }

        boolean grantOvertakesAnswer(boolean isFitting) {
            granted = grant();
            fits = isFitting;
            return answeredAfterMessage();
        }

        boolean rings() {
            boolean set = room.phase() == Phase.SLEEPING || room.phase() == Phase.AWAITING_LOCAL_RELEASE;
            clock.advance(room.phase() == Phase.SLEEPING ? Duration.ofSeconds(11) : HELD_HERE);
            return set;
        }

        /** A lock that several may have is not handed over. */
        boolean offered(boolean isFitting) {
            fits = isFitting;
            return kind != LockKind.READ && happens(() -> room.offered(grant(), taken -> {}));
        }

        /** One more than those who are in the list is refused, or the only one. */
        boolean refused(boolean isOneMore) {
            return (!isOneMore || room.waiters().expect())
                    && room.waiters().isEmpty() != isOneMore
                    && room.phase() != Phase.CLOSED
                    && happens(() -> room.refused(waiter(0), null));
        }

        boolean listed() {
            CompletableFuture<List<WaitingLock>> answer = new CompletableFuture<>();
            return happens(() -> room.listed(1, clock.now(), answer));
        }
    }

    /** What can happen, each event in all its forms. A form answers whether it can happen in that phase. */
    private static final List<Map.Entry<String, List<Predicate<Played>>>> EVENTS = List.of(
            Map.entry("entered", List.of(lock -> lock.enters(Waiter.FOREVER), lock -> lock.enters(0), lock -> {
                lock.heldHere = true;
                return lock.enters(Waiter.FOREVER);
            })),
            Map.entry("gaveUp", List.of(Played::leave)),
            Map.entry("deadlinePassed", List.of(lock -> lock.toHead(lock.room::deadlinePassed))),
            Map.entry("refused", List.of(lock -> lock.refused(true), lock -> lock.refused(false))),
            Map.entry("limitPassed", List.of(lock -> lock.toHead(lock.room::limitPassed))),
            Map.entry(
                    "answered",
                    List.of(
                            lock -> lock.answered(lock.grant()),
                            lock -> lock.answered(lock.busy()),
                            lock -> lock.answered(new Unknown(new IllegalStateException(), true)),
                            lock -> lock.answered(new Unknown(new IllegalStateException(), false)),
                            lock -> lock.answerAll(true),
                            lock -> lock.answerAll(false),
                            lock -> {
                                lock.fits = false;
                                return lock.leave() && lock.answered(lock.grant());
                            },
                            lock -> {
                                lock.kind = LockKind.READ;
                                return lock.answered(lock.grant());
                            },
                            Played::answeredAfterMessage,
                            lock -> lock.grantOvertakesAnswer(true),
                            lock -> lock.grantOvertakesAnswer(false),
                            lock -> lock.room.phase() == Phase.ASKING_FOR_ALL && lock.enter(2) && lock.answerAll(true),
                            lock -> lock.room.phase() == Phase.ASKING_FOR_ALL
                                    && lock.enter(1)
                                    && lock.answerAll(true))),
            Map.entry("offered", List.of(lock -> lock.offered(true), lock -> lock.offered(false))),
            Map.entry(
                    "signaled",
                    List.of(
                            lock -> lock.happens(lock.room::signaled),
                            lock -> {
                                lock.granted = lock.grant();
                                return lock.happens(lock.room::signaled);
                            },
                            lock -> {
                                lock.granted = lock.grant();
                                lock.fits = false;
                                return lock.happens(lock.room::signaled);
                            })),
            Map.entry(
                    "subscribed",
                    List.of(
                            lock -> lock.happens(() -> lock.room.subscribed(false)),
                            lock -> lock.happens(() -> lock.room.subscribed(true)))),
            Map.entry("releasedHere", List.of(lock -> lock.happens(lock.room::releasedHere))),
            Map.entry(
                    "alarmRang",
                    List.of(
                            Played::rings,
                            lock -> {
                                lock.heldHere = false;
                                return lock.rings();
                            },
                            lock -> lock.leave() && lock.rings())),
            Map.entry("closing", List.of(lock -> lock.happens(lock.room::closing))),
            Map.entry("listed", List.of(Played::listed)));

    private static Set<Phase> after(List<Predicate<Played>> forms, Phase phase) {
        Set<Phase> found = EnumSet.noneOf(Phase.class);
        for (Predicate<Played> form : forms) {
            for (int others = 0; others < 3; others++) {
                Played lock = new Played().in(phase, others);
                assertThat(lock.room.phase()).isEqualTo(phase);
                if (form.test(lock)) {
                    found.add(lock.room.phase());
                    // Otherwise, nothing would wake the waiters.
                    assertThat(lock.room.phase() == Phase.IDLE
                                    && lock.room.waiters().head() != null)
                            .as("idle with waiters after %s", phase)
                            .isFalse();
                }
            }
        }
        return found;
    }

    private static String row(String event, List<Predicate<Played>> forms) {
        return Stream.of(Phase.values())
                .map(phase -> cell(phase, after(forms, phase)))
                .collect(Collectors.joining(" | ", "| `" + event + "` | ", " |"));
    }

    private static String cell(Phase before, Set<Phase> after) {
        return after.isEmpty()
                ? "–"
                : after.equals(EnumSet.of(before))
                        ? "="
                        : after.stream().map(Phase::name).collect(Collectors.joining(", "));
    }

    @Test
    void pageShowsWhatFollowsFromEachEvent() throws IOException {
        List<String> table = new ArrayList<>();
        table.add(Stream.of(Phase.values()).map(Phase::name).collect(Collectors.joining(" | ", "| event | ", " |")));
        table.add("| --- ".repeat(Phase.values().length + 1) + "|");
        EVENTS.forEach(event -> table.add(row(event.getKey(), event.getValue())));

        assertThat(Files.readString(Path.of("../docs/contributing/architecture.md")))
                .contains(String.join("\n", table));
    }

    /** Each method of a room that is not private is an event. */
    @Test
    void everyEventIsPlayed() {
        assertThat(EVENTS)
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrderElementsOf(Stream.of(WaitingRoom.class.getDeclaredMethods())
                        .filter(method -> !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic())
                        .map(Method::getName)
                        .filter(name -> !List.of("phase", "waiters", "ownThreads", "handle")
                                .contains(name))
                        .toList());
    }
}
