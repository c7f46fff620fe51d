package dev.holdfast.check;

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

/** Logs of two instances, written by hand. Times are milliseconds after three o'clock, by Redis's clock for tokens. */
class JudgeTest {

    private static final Instant THREE = Instant.parse("2026-11-24T03:00:00Z");

    @TempDir
    private Path folder;

    private final List<String> files = new ArrayList<>();
    private String said = "";

    /** Writes the log of an instance. */
    private final class Log {
        private final List<String> events = new ArrayList<>();

        Log acquired(String lock, String kind, long at, long waited) {
            return add("acquired", lock, kind, token(at), at, waited, null, null, false, null);
        }

        Log released(String lock, String kind, long grantedAt, long held) {
            return add("released", lock, kind, token(grantedAt), grantedAt + held, null, held, null, false, null);
        }

        Log held(String lock, String kind, long at, long held) {
            return acquired(lock, kind, at, 0).released(lock, kind, at, held);
        }

        Log lost(String lock, long grantedAt, long held, long unconfirmed, String cause) {
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

        Log handedOver(String lock, long grantedAt, int place, long held) {
            String token = String.valueOf(Long.parseLong(token(grantedAt)) + place);
            return add("acquired", lock, "REENTRANT", token, grantedAt, 500L, null, null, true, null)
                    .add("released", lock, "REENTRANT", token, grantedAt, null, held, null, true, null);
        }

        Log trouble(String lock, long at) {
            return add("trouble", lock, "REENTRANT", token(at - 1), at, null, null, null, false, null);
        }

        Log add(
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
                    "at":"%s","event":"%s","lock":"%s","kind":"%s","token":"%s","waitedMicros":%s,\
                    "heldMicros":%s,"unconfirmedMicros":%s,"handedOver":%s,"cause":%s}\
                    """.formatted(
                            time(at),
                            event,
                            lock,
                            kind,
                            token,
                            micros(waited),
                            micros(held),
                            micros(unconfirmed),
                            handedOver,
                            cause == null ? null : "\"" + cause + "\""));
            return this;
        }

        /** The last line of an instance that did nothing else for a while. */
        Log refused(long at) {
            return add("refused", "other", "REENTRANT", "0", at, 0L, null, null, false, "BUSY");
        }

        /** The lines, without those that the logs do not have. */
        List<String> lines(String instance, Long... missing) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < events.size(); i++) {
                if (!List.of(missing).contains(i + 1L)) {
                    lines.add("2026-11-24 03:00:00.000 DEBUG --- [shop] d.h.lock.events : "
                            + "{\"instance\":\"" + instance + "\",\"since\":\"" + THREE + "\",\"number\":"
                            + (i + 1) + "," + events.get(i));
                }
            }
            return lines;
        }

        void of(String instance, Long... missing) throws IOException {
            file(lines(instance, missing));
        }
    }

    private void file(List<String> lines) throws IOException {
        Path file = folder.resolve("log-" + files.size() + ".log");
        Files.writeString(file, "Started Shop in 2 seconds\n" + String.join("\n", lines) + "\n");
        files.add(file.toString());
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
        new Log().held("billing", "REENTRANT", 1_000, 500).of("shop@a:1");
        new Log().held("billing", "REENTRANT", 1_500, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("2 instances, 2 grants of 1 locks")
                .contains("Verdict: no lock had two holders from 2026-11-24T03:00:01Z to 2026-11-24T03:00:02Z.");
    }

    @Test
    void twoHoldersAreNamedWithTheirTime() throws IOException {
        new Log().held("billing", "REENTRANT", 1_000, 6_070).of("shop@a:1");
        new Log().held("billing", "REENTRANT", 7_000, 500).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said)
                .contains("lock `billing`: two holders for 70 ms at 2026-11-24T03:00:07Z: shop@a:1 (token "
                        + token(1_000) + ") had it since 2026-11-24T03:00:01Z, and shop@b:1 (token " + token(7_000)
                        + ") got it\n")
                .contains("Verdict: 1 lock had two holders.");
    }

    @Test
    void troubleBeforeAnOverlapIsNamed() throws IOException {
        new Log()
                .acquired("billing", "REENTRANT", 1_000, 0)
                .trouble("billing", 5_000)
                .lost("billing", 1_000, 9_000, 100, "GONE")
                .of("shop@a:1");
        new Log().held("billing", "REENTRANT", 7_000, 5_000).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said)
                .contains("two holders for 3000 ms")
                .contains("got it, after renewals failed at 2026-11-24T03:00:05Z. shop@a:1 noticed the loss at"
                        + " 2026-11-24T03:00:10Z");
    }

    @Test
    void readersAndPermitsAreNoOverlap() throws IOException {
        new Log()
                .held("list", "READ", 1_000, 6_000)
                .held("pool", "SEMAPHORE", 1_000, 6_000)
                .of("shop@a:1");
        new Log()
                .held("list", "READ", 2_000, 6_000)
                .held("pool", "SEMAPHORE", 2_000, 6_000)
                .of("shop@b:1");
        assertThat(judge()).isZero();
    }

    @Test
    void readerBesideAWriterIsAnOverlap() throws IOException {
        new Log().held("list", "READ", 1_000, 6_000).of("shop@a:1");
        new Log().held("list", "WRITE", 2_000, 6_000).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("lock `list`: two holders for 5000 ms");
    }

    @Test
    void oneOfSeveralNamesCountsAlone() throws IOException {
        new Log().held("[order:1, order:2]", "REENTRANT", 1_000, 6_000).of("shop@a:1");
        new Log().held("order:2", "REENTRANT", 2_000, 1_000).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("lock `order:2`: two holders for 1000 ms");
    }

    @Test
    void holdersInMemoryFollowEachOther() throws IOException {
        new Log()
                .held("billing", "REENTRANT", 1_000, 100)
                .handedOver("billing", 1_000, 1, 200)
                .handedOver("billing", 1_000, 2, 300)
                .of("shop@a:1");
        new Log().held("billing", "REENTRANT", 1_500, 100).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("two holders for 100 ms");
    }

    @Test
    void waitIsNoPartOfTheWork() throws IOException {
        new Log()
                .acquired("billing", "REENTRANT", 1_000, 300)
                .released("billing", "REENTRANT", 1_000, 600)
                .of("shop@a:1");
        new Log().held("billing", "REENTRANT", 1_400, 500).of("shop@b:1");
        assertThat(judge()).isZero();
    }

    @Test
    void holderThatHasNotReleasedHasTheLockUntilItsLastLine() throws IOException {
        new Log().acquired("billing", "REENTRANT", 1_000, 0).refused(2_300).of("shop@a:1");
        new Log().held("billing", "REENTRANT", 2_000, 500).of("shop@b:1");
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("two holders for 300 ms");
    }

    @Test
    void holdWithoutAnEndIsNamed() throws IOException {
        new Log().acquired("billing", "REENTRANT", 1_000, 0).of("shop@a:1");
        new Log().held("billing", "REENTRANT", 40_000, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("Nothing is known of the end of lock `billing` at shop@a:1 (token " + token(1_000)
                        + "): it is not in the files");
    }

    @Test
    void leaseThatEndedWhileItsProcessStoodStillIsNotedAndNoOverlap() throws IOException {
        new Log()
                .acquired("billing", "REENTRANT", 1_000, 0)
                .lost("billing", 1_000, 9_000, 8_000, "UNCONFIRMED")
                .of("shop@a:1");
        new Log().held("billing", "REENTRANT", 7_000, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("lock `billing`: shop@a:1 (token " + token(1_000)
                        + ") noticed 3000 ms late that its lease was over (UNCONFIRMED): shop@b:1");
    }

    @Test
    void linesThatAreMissingAreNamed() throws IOException {
        new Log()
                .held("a", "REENTRANT", 1_000, 100)
                .held("a", "REENTRANT", 10_000, 100)
                .of("shop@a:1", 1L, 2L);
        new Log()
                .held("b", "REENTRANT", 2_000, 100)
                .held("b", "REENTRANT", 20_000, 100)
                .held("b", "REENTRANT", 30_000, 100)
                .of("shop@b:1", 3L, 4L);
        assertThat(judge()).isZero();
        assertThat(said)
                .contains(
                        "Nothing is known of shop@a:1 before 2026-11-24T03:00:10Z: 2 earlier events are not in the files")
                .contains(
                        "Nothing is known of shop@b:1 from 2026-11-24T03:00:02Z to 2026-11-24T03:00:30Z: 2 events are not"
                                + " in the files")
                .contains("no lock had two holders from 2026-11-24T03:00:30Z to 2026-11-24T03:00:30Z");
    }

    @Test
    void acquisitionThatTheInstanceDroppedIsCounted() throws IOException {
        new Log().refused(500).released("billing", "REENTRANT", 1_000, 300).of("shop@a:1");
        assertThat(judge()).isZero();
        assertThat(said)
                .contains("Nothing is known of 1 acquisitions of shop@a:1, of which only the end is in the files");
    }

    @Test
    void filesOfOneInstanceAreOneAndLinesOfSeveralMayShareAFile() throws IOException {
        List<String> a = new Log().held("billing", "REENTRANT", 1_000, 29_000).lines("shop@a:1");
        List<String> b = new Log().held("billing", "REENTRANT", 30_100, 500).lines("shop@b:1");
        file(List.of(b.get(0), a.get(0)));
        file(List.of(a.get(0), a.get(1), b.get(1)));
        assertThat(judge()).isZero();
        assertThat(said).contains("2 instances, 2 grants").doesNotContain("Nothing");
    }

    @Test
    void lineMayBeATextInStructuredLogs() throws IOException {
        new Log().held("billing", "REENTRANT", 1_000, 6_070).of("shop@a:1");
        file(new Log()
                .held("billing", "REENTRANT", 7_000, 500).lines("shop@b:1").stream()
                        .map(line -> line.substring(line.indexOf('{')).replace("\"", "\\\""))
                        .map(line -> "{\"@timestamp\":\"2026\",\"message\":\"" + line + "\"}")
                        .toList());
        assertThat(judge()).isEqualTo(CheckReport.BROKEN);
        assertThat(said).contains("two holders for 70 ms");
    }

    @Test
    void lineThatIsCutOffIsMissing() throws IOException {
        List<String> lines = new Log()
                .held("a", "REENTRANT", 1_000, 100)
                .held("a", "REENTRANT", 2_000, 100)
                .lines("shop@a:1");
        String cutOff = lines.get(1);
        lines.set(1, cutOff.substring(0, cutOff.length() / 2));
        file(lines);
        assertThat(judge()).isZero();
        assertThat(said).contains(": 1 events are not in the files");
    }

    @Test
    void releaseThatTheInstanceDroppedIsNoOverlap() throws IOException {
        new Log()
                .acquired("billing", "REENTRANT", 1_000, 0)
                .held("billing", "REENTRANT", 3_000, 100)
                .of("shop@a:1");
        new Log().held("billing", "REENTRANT", 2_000, 500).of("shop@b:1");
        assertThat(judge()).isZero();
        assertThat(said).contains("Nothing is known of the end of lock `billing` at shop@a:1");
    }

    @Test
    void oneLineProvesNothing() throws IOException {
        new Log().acquired("billing", "REENTRANT", 1_000, 0).of("shop@a:1");
        assertThat(judge()).isEqualTo(CheckReport.NO_RESULT);
        assertThat(said).contains("Verdict: nothing is known");
    }

    @Test
    void otherFilesAreRefusedByName() throws IOException {
        Path file = Files.writeString(folder.resolve("health.json"), "{\"status\": \"UP\"}");
        files.add(file.toString());
        assertThat(judge()).isEqualTo(CheckReport.WRONG_ARGUMENTS);
        assertThat(said).contains(file + " has no line of the logger dev.holdfast.lock.events");
    }
}
