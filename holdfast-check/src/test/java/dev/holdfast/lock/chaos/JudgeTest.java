package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journals of two instances, written by hand. Times are milliseconds after three o'clock, by Redis's clock for tokens. */
class JudgeTest {

    private static final Instant THREE = Instant.parse("2026-11-24T03:00:00Z");

    @TempDir
    private Path folder;

    private final List<String> files = new ArrayList<>();
    private String said = "";

    /** Writes what an instance answers, with the events between two times. */
    private final class Journal {
        private final List<String> events = new ArrayList<>();
        private String changes = "";

        Journal serverChanged(long sameUntil, long noticedAt) {
            changes = """
                    "serverChanges":[{"sameUntil":"%s","noticedAt":"%s"}],""".formatted(time(sameUntil), time(noticedAt));
            return this;
        }

        Journal acquired(String lock, String kind, long at, long waited) {
            return add("acquired", lock, kind, token(at), at, waited, null, null, false, null);
        }

        Journal released(String lock, String kind, long grantedAt, long held) {
            return add("released", lock, kind, token(grantedAt), grantedAt + held, null, held, null, false, null);
        }

        Journal held(String lock, String kind, long at, long held) {
            return acquired(lock, kind, at, 0).released(lock, kind, at, held);
        }

        Journal lost(String lock, long grantedAt, long held, long unconfirmed, String cause) {
            return add(
                    "lost",
                    lock,
                    "REENTRANT",
                    token(grantedAt),
                    grantedAt + held,
                    null,
                    held,
                    unconfirmed,
                    false,
                    cause);
        }

        Journal handedOver(String lock, long grantedAt, int place, long held) {
            String token = String.valueOf(Long.parseLong(token(grantedAt)) + place);
            return add("acquired", lock, "REENTRANT", token, grantedAt, 500L, null, null, true, null)
                    .add("released", lock, "REENTRANT", token, grantedAt, null, held, null, true, null);
        }

        Journal trouble(String lock, long at) {
            return add("trouble", lock, "REENTRANT", token(at - 1), at, null, null, null, false, null);
        }

        Journal add(
                String event,
                String lock,
                String kind,
                String token,
                long at,
                Long waited,
                Long held,
                Long unconfirmed,
                boolean handedOver,
                String cause) {
            events.add("""
                    {"event":"%s","lock":"%s","kind":"%s","token":"%s","grantedAt":"%s","at":"%s","waitedMicros":%s,\
                    "heldMicros":%s,"unconfirmedMicros":%s,"handedOver":%s,"cause":%s}\
                    """.formatted(
                            event,
                            lock,
                            kind,
                            token,
                            time(at),
                            time(at),
                            micros(waited),
                            micros(held),
                            micros(unconfirmed),
                            handedOver,
                            cause == null ? null : "\"" + cause + "\""));
            return this;
        }

        void of(String instance, long from, long until, long overwritten, long missing) throws IOException {
            Path file = folder.resolve("journal-" + files.size() + ".json");
            Files.writeString(file, """
                    {"format":1,"instance":"%s","startedAt":"%s","completeSince":"%s","readAt":"%s",
                     "overwritten":%d,"missing":%d,%s"events":[%s]}
                    """.formatted(
                            instance,
                            time(0),
                            time(from),
                            time(until),
                            overwritten,
                            missing,
                            changes,
                            String.join(",\n", events)));
            files.add(file.toString());
        }

        void of(String instance) throws IOException {
            of(instance, 0, 60_000, 0, 0);
        }
    }

    private static Object micros(Long millis) {
        return millis == null ? null : millis * 1_000;
    }

    private static Instant time(long millis) {
        return THREE.plusMillis(millis);
    }

    private static String token(long millis) {
        return String.valueOf(ChronoUnit.MICROS.between(Instant.EPOCH, time(millis)) * 1024);
    }

    private int judge() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int code = Judge.run(files, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        said = bytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    @Test
    void oneHolderAfterTheOtherIsNoOverlap() throws IOException {
        new Journal().held("billing", "REENTRANT", 1_000, 500).of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 1_500, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("2 instances, 2 grants of 1 locks")
                .contains("Verdict: no lock had two holders from 2026-11-24T03:00:00Z to 2026-11-24T03:01:00Z.");
    }

    @Test
    void twoHoldersAreNamedWithTheirTime() throws IOException {
        new Journal().held("billing", "REENTRANT", 1_000, 6_070).of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 7_000, 500).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said)
                .contains("lock `billing`: two holders for 70 ms at 2026-11-24T03:00:07Z: shop@a:1 (token "
                        + token(1_000) + ") had it since 2026-11-24T03:00:01Z, and shop@b:1 (token " + token(7_000)
                        + ") got it\n")
                .contains("Verdict: 1 lock had two holders.");
    }

    @Test
    void troubleBeforeAnOverlapIsNamed() throws IOException {
        new Journal()
                .acquired("billing", "REENTRANT", 1_000, 0)
                .trouble("billing", 5_000)
                .lost("billing", 1_000, 9_000, 100, "GONE")
                .of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 7_000, 5_000).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said)
                .contains("two holders for 3000 ms")
                .contains("got it, after renewals failed at 2026-11-24T03:00:05Z. shop@a:1 noticed the loss at"
                        + " 2026-11-24T03:00:10Z");
    }

    @Test
    void changeOfTheServerBeforeAnOverlapIsNamed() throws IOException {
        new Journal().held("billing", "REENTRANT", 1_000, 6_070).of("shop@a:1");
        new Journal()
                .held("billing", "REENTRANT", 7_000, 500)
                .serverChanged(500, 1_000)
                .of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said)
                .contains("shop@b:1 (token " + token(7_000)
                        + ") got it, after the server changed at 2026-11-24T03:00:01Z\n");
    }

    @Test
    void changeThatWasNoticedAfterAnOverlapIsNamedWithItsTimes() throws IOException {
        new Journal()
                .held("billing", "REENTRANT", 1_000, 6_070)
                .serverChanged(2_000, 8_000)
                .of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 7_000, 500).of("shop@b:1");
        judge();
        assertThat(said).contains("got it. The server changed between 2026-11-24T03:00:02Z and 2026-11-24T03:00:08Z\n");
    }

    @Test
    void changeOfTheServerLongBeforeOrAfterAnOverlapIsNotNamed() throws IOException {
        new Journal()
                .held("billing", "REENTRANT", 300_000, 6_070)
                .serverChanged(1_000, 2_000)
                .of("shop@a:1", 0, 600_000, 0, 0);
        new Journal()
                .held("billing", "REENTRANT", 306_000, 500)
                .serverChanged(400_000, 401_000)
                .of("shop@b:1", 0, 600_000, 0, 0);
        judge();
        assertThat(said).contains("two holders for 70 ms").doesNotContain("server changed");
    }

    @Test
    void readersAndPermitsAreNoOverlap() throws IOException {
        new Journal()
                .held("list", "READ", 1_000, 6_000)
                .held("pool", "SEMAPHORE", 1_000, 6_000)
                .of("shop@a:1");
        new Journal()
                .held("list", "READ", 2_000, 6_000)
                .held("pool", "SEMAPHORE", 2_000, 6_000)
                .of("shop@b:1");
        assertThat(judge()).isZero();
    }

    @Test
    void readerBesideAWriterIsAnOverlap() throws IOException {
        new Journal().held("list", "READ", 1_000, 6_000).of("shop@a:1");
        new Journal().held("list", "WRITE", 2_000, 6_000).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("lock `list`: two holders for 5000 ms");
    }

    @Test
    void oneOfSeveralNamesCountsAlone() throws IOException {
        new Journal().held("[order:1, order:2]", "REENTRANT", 1_000, 6_000).of("shop@a:1");
        new Journal().held("order:2", "REENTRANT", 2_000, 1_000).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("lock `order:2`: two holders for 1000 ms");
    }

    @Test
    void holdersInMemoryFollowEachOther() throws IOException {
        new Journal()
                .held("billing", "REENTRANT", 1_000, 100)
                .handedOver("billing", 1_000, 1, 200)
                .handedOver("billing", 1_000, 2, 300)
                .of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 1_500, 100).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("two holders for 100 ms");
    }

    @Test
    void waitIsNoPartOfTheWork() throws IOException {
        new Journal()
                .acquired("billing", "REENTRANT", 1_000, 300)
                .released("billing", "REENTRANT", 1_000, 600)
                .of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 1_400, 500).of("shop@b:1");
        assertThat(judge()).isZero();
    }

    @Test
    void holderThatHasNotReleasedHasTheLockWhenItsJournalIsRead() throws IOException {
        new Journal().acquired("billing", "REENTRANT", 1_000, 0).of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 2_000, 500).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("two holders for 500 ms");
    }

    @Test
    void leaseThatEndedWhileItsProcessStoodStillIsNotedAndNoOverlap() throws IOException {
        new Journal()
                .acquired("billing", "REENTRANT", 1_000, 0)
                .lost("billing", 1_000, 9_000, 8_000, "UNCONFIRMED")
                .of("shop@a:1");
        new Journal().held("billing", "REENTRANT", 7_000, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("lock `billing`: shop@a:1 (token " + token(1_000)
                        + ") noticed 3000 ms late that its lease was over (UNCONFIRMED): shop@b:1");
    }

    @Test
    void timesOfWhichNothingIsKnownAreNamed() throws IOException {
        new Journal().of("shop@a:1", 10_000, 60_000, 12, 0);
        new Journal().of("shop@b:1", 0, 30_000, 0, 3);
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("Nothing is known of shop@a:1 before 2026-11-24T03:00:10Z: 12 older events were overwritten")
                .contains("Nothing is known of shop@b:1 before 2026-11-24T03:00:00Z: it started then")
                .contains("Nothing is known of 3 acquisitions of shop@b:1")
                .contains("Nothing is known of shop@b:1 after 2026-11-24T03:00:30Z")
                .contains("no lock had two holders from 2026-11-24T03:00:10Z to 2026-11-24T03:00:30Z");
    }

    @Test
    void journalsOfOneInstanceAreOne() throws IOException {
        new Journal().acquired("billing", "REENTRANT", 1_000, 0).of("shop@a:1", 0, 20_000, 0, 0);
        new Journal()
                .acquired("billing", "REENTRANT", 1_000, 0)
                .released("billing", "REENTRANT", 1_000, 29_000)
                .of("shop@a:1", 500, 60_000, 4, 0);
        new Journal().held("billing", "REENTRANT", 30_100, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said).contains("2 instances, 2 grants").contains("from 2026-11-24T03:00:00Z");
    }

    @Test
    void journalsWithoutACommonTimeProveNothing() throws IOException {
        new Journal().of("shop@a:1", 0, 10_000, 0, 0);
        new Journal().of("shop@b:1", 20_000, 30_000, 5, 0);
        assertThat(judge()).isEqualTo(CheckReport.NO_RESULT);
        assertThat(said).contains("Verdict: nothing is known");
    }

    @Test
    void otherFilesAreRefusedByName() throws IOException {
        Path file = Files.writeString(folder.resolve("health.json"), "{\"status\": \"UP\"}");
        files.add(file.toString());
        assertThat(judge()).isEqualTo(CheckReport.WRONG_ARGUMENTS);
        assertThat(said).contains(file + " is no journal of /actuator/locks?journal: 'format' is missing");
    }
}
