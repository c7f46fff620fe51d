package dev.holdfast.check;

import dev.holdfast.check.EventLines.Event;
import dev.holdfast.check.EventLines.Gap;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Says from the logs of all instances whether a lock had two holders. A token has the time at which Redis granted the lock, so grants of different
 * instances are compared on one clock. A hold ends after the time for which its holder worked, which that instance has measured. The time at which an
 * instance saw an event proves nothing, because events may be late.
 */
final class Judge {

    /** How far two clocks that both run may differ within one hold: that of Redis and that of a holder. */
    private static final long DRIFT_MICROS = 5_000;

    private static final long TOKENS_OF_A_MICROSECOND = 1024;

    /** A trouble that is longer ago explains nothing. */
    private static final Duration RECENT = Duration.ofMinutes(2);

    /** One grant of Redis, and those to which it was handed over in memory, one after the other. */
    private static final class Grant {
        final EventLines instance;
        final String lock;
        final String kind;
        final long begin;
        final Map<Long, Tenure> holds = new TreeMap<>();

        Grant(EventLines instance, Event first) {
            this.instance = instance;
            this.lock = first.lock();
            this.kind = first.kind();
            this.begin = first.token() / TOKENS_OF_A_MICROSECOND;
        }

        /** When the last holder certainly still had the lock, by Redis's clock. */
        long certainEnd() {
            return begin + holds.values().stream().mapToLong(Tenure::worked).sum() - last().doubtful();
        }

        /** When the last holder knew that it had the lock no more. */
        long noticedEnd() {
            return begin + holds.values().stream().mapToLong(Tenure::worked).sum();
        }

        Tenure last() {
            Tenure last = null;
            for (Tenure hold : holds.values()) {
                last = hold;
            }
            return Objects.requireNonNull(last, "a grant has a hold");
        }

        @Override
        public String toString() {
            return instance.instance() + " (token " + holds.keySet().iterator().next() + ")";
        }
    }

    /** What the log says of one holder, by its token. */
    private static final class Tenure {
        @Nullable
        Event acquired;

        @Nullable
        Event ended;

        /** How long it was certainly held, if its end is not in the files. */
        long openMicros;

        /** The number of the line that says that it was acquired. */
        long number;

        /** How long the holder worked with the lock, at least. Its own count begins with its request, which is before the grant. */
        long worked() {
            Event begin = acquired;
            Event end = ended;
            if (begin == null) {
                return 0;
            }
            if (end == null) {
                return openMicros;
            }
            return begin.handedOver() ? end.heldMicros() : Math.max(0, end.heldMicros() - begin.waitedMicros());
        }

        /** The last part of that time, in which the lease may have been over without anybody noticing. */
        long doubtful() {
            Event end = ended;
            return end != null && end.event().equals("lost") && !"GONE".equals(end.cause())
                    ? Math.min(worked(), end.unconfirmedMicros())
                    : 0;
        }
    }

    private final List<EventLines> instances;
    private final List<Grant> grants = new ArrayList<>();
    private final List<String> overlaps = new ArrayList<>();
    private final List<String> late = new ArrayList<>();

    private Judge(List<EventLines> instances) {
        this.instances = instances;
    }

    /** Judges files, and returns the exit code. */
    static int run(List<String> files, PrintStream out) {
        if (files.isEmpty()) {
            out.println(CheckOptions.USAGE);
            return CheckReport.WRONG_ARGUMENTS;
        }
        try {
            return new Judge(EventLines.read(files.stream().map(Path::of).toList())).judge(out);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            return CheckReport.WRONG_ARGUMENTS;
        }
    }

    private int judge(PrintStream out) {
        instances.forEach(this::readGrants);
        compare();
        findLateNotices();
        Instant first = instances.stream()
                .map(EventLines::first)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Instant from = instances.stream()
                .flatMap(Judge::completeFrom)
                .max(Comparator.naturalOrder())
                .orElse(first);
        Instant until = instances.stream()
                .map(EventLines::last)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        boolean known = from.isBefore(until);
        out.println(instances.stream().map(EventLines::instance).distinct().count() + " instances, " + grants.size()
                + " grants of "
                + grants.stream().map(grant -> grant.lock).distinct().count() + " locks");
        overlaps.forEach(out::println);
        late.forEach(out::println);
        unknown(out);
        String period = known ? " from " + second(from) + " to " + second(until) : "";
        if (!overlaps.isEmpty()) {
            out.println("Verdict: " + overlaps.size() + (overlaps.size() == 1 ? " lock" : " times, a lock")
                    + " had two holders.");
            return CheckReport.BROKEN;
        }
        out.println(
                known
                        ? "Verdict: no lock had two holders" + period + "."
                        : "Verdict: nothing is known, because there is no time for which all events of all instances are there.");
        return known ? CheckReport.KEPT : CheckReport.NO_RESULT;
    }

    /** Readers share, and so do holders of a semaphore's permits. */
    private void readGrants(EventLines instance) {
        Map<String, Grant> known = new HashMap<>();
        for (Map.Entry<Long, Event> line : instance.events().entrySet()) {
            Event event = line.getValue();
            boolean tells = List.of("acquired", "released", "lost").contains(event.event());
            if (!tells || event.token() == 0 || event.kind().contains("SEMAPHORE")) {
                continue;
            }
            String id = event.lock() + " " + event.token() / TOKENS_OF_A_MICROSECOND;
            Grant grant = known.computeIfAbsent(id, first -> {
                Grant begun = new Grant(instance, event);
                grants.add(begun);
                return begun;
            });
            Tenure hold = grant.holds.computeIfAbsent(event.token(), first -> new Tenure());
            if (event.event().equals("acquired")) {
                hold.acquired = event;
                hold.number = line.getKey();
            } else if (hold.ended == null) {
                hold.ended = event;
            }
        }
        for (Grant grant : known.values()) {
            grant.holds.values().stream()
                    .filter(hold -> hold.ended == null)
                    .forEach(hold -> hold.openMicros = openMicros(instance, hold));
        }
    }

    /** Returns the time until a line is missing, which may be the end, or until the process has acquired the lock again, or until its last line. */
    private static long openMicros(EventLines instance, Tenure hold) {
        Event acquired = Objects.requireNonNull(hold.acquired, "it has no end, so it has a begin");
        long next = hold.number;
        Instant until = acquired.at();
        for (Map.Entry<Long, Event> line :
                instance.events().tailMap(hold.number, true).entrySet()) {
            Event event = line.getValue();
            boolean again = line.getKey() > hold.number
                    && event.event().equals("acquired")
                    && event.lock().equals(acquired.lock());
            if (again || line.getKey() != next) {
                break;
            }
            next++;
            until = event.at();
        }
        return ChronoUnit.MICROS.between(acquired.at(), until);
    }

    /** Compares grants by the rule that the fault tests use for workers. */
    private void compare() {
        Map<Attempt, Grant> byAttempt = new HashMap<>();
        List<Attempt> attempts = new ArrayList<>();
        for (Grant grant : grants) {
            Use use = grant.kind.equals("READ") ? Use.READ : Use.PLAIN;
            long begin = nanos(grant.begin);
            Attempt attempt = new Attempt(0, attempts.size(), use, names(grant.lock), 0, begin);
            attempt.token = grant.begin * TOKENS_OF_A_MICROSECOND;
            attempt.answeredAt = begin;
            attempt.heldAt = Math.max(begin, nanos(grant.certainEnd() - DRIFT_MICROS));
            attempts.add(attempt);
            byAttempt.put(attempt, grant);
        }
        attempts.sort(Comparator.comparingLong(attempt -> attempt.answeredAt));
        new HolderCheck(pair -> overlaps.add(sentence(
                        pair.lock(),
                        Objects.requireNonNull(byAttempt.get(pair.earlier())),
                        Objects.requireNonNull(byAttempt.get(pair.later())))))
                .check(attempts);
    }

    /** A lock with several names is shown as {@code [a, b]}. */
    private static List<String> names(String lock) {
        return lock.startsWith("[") && lock.endsWith("]")
                ? List.of(lock.substring(1, lock.length() - 1).split(", ", -1))
                : List.of(lock);
    }

    private String sentence(String lock, Grant earlier, Grant later) {
        long millis = Math.max(0, Math.min(earlier.certainEnd(), later.certainEnd()) - later.begin) / 1_000;
        Event trouble = troubleBefore(instant(later.begin));
        Event end = earlier.last().ended;
        return "lock `" + lock + "`: two holders for " + (millis == 0 ? "less than 1" : millis) + " ms at "
                + instant(later.begin).truncatedTo(ChronoUnit.MILLIS) + ": " + earlier + " had it since "
                + second(instant(earlier.begin)) + ", and " + later + " got it"
                + (trouble == null ? "" : ", after " + told(trouble) + " at " + second(trouble.at()))
                + (end != null && end.event().equals("lost")
                        ? ". " + earlier.instance.instance() + " noticed the loss at " + second(end.at())
                        : "");
    }

    private static String told(Event trouble) {
        return trouble.event().equals("trouble") ? "renewals failed" : "Redis did not answer";
    }

    /** Returns the first trouble of any instance in the last minutes before a time. */
    private @Nullable Event troubleBefore(Instant time) {
        return instances.stream()
                .flatMap(instance -> instance.events().values().stream())
                .filter(event -> event.event().equals("trouble") || "UNAVAILABLE".equals(event.cause()))
                .filter(event -> event.at().isBefore(time) && event.at().isAfter(time.minus(RECENT)))
                .min(Comparator.comparing(Event::at))
                .orElse(null);
    }

    /** Finds holders that noticed the end of their lease only after the next holder had the lock. They may have worked on. */
    private void findLateNotices() {
        for (Grant grant : grants) {
            if (grant.last().doubtful() == 0) {
                continue;
            }
            grants.stream()
                    .filter(other -> other != grant && other.lock.equals(grant.lock))
                    .filter(other -> other.begin > grant.certainEnd() - DRIFT_MICROS
                            && other.begin < grant.noticedEnd() - DRIFT_MICROS)
                    .min(Comparator.comparingLong(other -> other.begin))
                    .ifPresent(next -> late.add("lock `" + grant.lock + "`: " + grant + " noticed "
                            + (grant.noticedEnd() - next.begin) / 1_000 + " ms late that its lease was over ("
                            + Objects.requireNonNull(grant.last().ended).cause() + "): " + next + " had the lock since "
                            + instant(next.begin).truncatedTo(ChronoUnit.MILLIS)
                            + ". What it wrote in between, only its token tells from a holder's"));
        }
    }

    private void unknown(PrintStream out) {
        for (EventLines instance : instances) {
            String nothing = "Nothing is known of " + instance.instance();
            if (instance.before() > 0) {
                out.println(nothing + " before " + second(instance.first()) + ": " + instance.before()
                        + " earlier events are not in the files");
            }
            for (Gap gap : instance.gaps()) {
                out.println(nothing + " from " + second(gap.from()) + " to " + second(gap.to()) + ": " + gap.missing()
                        + " events are not in the files");
            }
            for (Grant grant : grants) {
                if (grant.instance.equals(instance) && grant.last().ended == null) {
                    out.println("Nothing is known of the end of lock `" + grant.lock + "` at " + grant
                            + ": it is not in the files");
                }
            }
            // The instance drops events if its listeners are too slow, but never a loss.
            long unbegun = grants.stream()
                    .filter(grant -> grant.instance.equals(instance)
                            && instant(grant.begin).isAfter(instance.first()))
                    .flatMap(grant -> grant.holds.values().stream())
                    .filter(hold -> hold.acquired == null)
                    .count();
            if (unbegun > 0) {
                out.println("Nothing is known of " + unbegun + " acquisitions of " + instance.instance()
                        + ", of which only the end is in the files");
            }
        }
    }

    /** Returns the times from which a process has all lines, if it does not have them from its start. */
    private static Stream<Instant> completeFrom(EventLines instance) {
        return Stream.concat(
                instance.before() > 0 ? Stream.of(instance.first()) : Stream.of(),
                instance.gaps().stream().map(Gap::to));
    }

    private static long nanos(long micros) {
        return micros * 1_000;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static Instant second(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }
}
