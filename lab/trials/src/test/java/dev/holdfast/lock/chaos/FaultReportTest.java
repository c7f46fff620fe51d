package dev.holdfast.lock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.check.Ending;
import dev.holdfast.check.Rule;
import dev.holdfast.lock.trials.LockLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultReportTest {

    private static Outcome outcome(LockLibrary library, long seed, int grants, Map<Rule, Integer> broken) {
        return new Outcome(
                new Round(library, FaultClass.NETWORK, seed, 60),
                grants,
                2 * grants,
                3,
                Map.of(Ending.LOST, 1, Ending.UNAVAILABLE, 2, Ending.FAILED, 3),
                broken,
                Map.of(Rule.FREE_LOCK_GRANTED, seed),
                Map.of("close", 4, "black hole", 1));
    }

    @Test
    void aLineHasAllThatWasCounted() {
        Outcome outcome = outcome(LockLibrary.HOLDFAST, 7, 100, Map.of(Rule.ONE_HOLDER, 2));
        assertThat(Outcome.parse(outcome.toLine())).isEqualTo(outcome);
    }

    @Test
    void roundsOfSeveralRunsAddUp(@TempDir Path folder) throws IOException {
        Path first = Files.createDirectories(folder.resolve("first"));
        Path second = Files.createDirectories(folder.resolve("second"));
        Files.writeString(
                first.resolve("rounds-1.txt"),
                outcome(LockLibrary.HOLDFAST, 7, 100, Map.of()).toLine() + "\n");
        Files.writeString(
                second.resolve("rounds-2.txt"),
                outcome(LockLibrary.HOLDFAST, 9, 20, Map.of()).toLine() + "\nunfinished a round: why\n");
        Path out = Files.createDirectories(folder.resolve("out"));
        FaultReport.merge(out, List.of(first, second)).finish();
        assertThat(Files.readString(out.resolve("report.md")))
                .contains(
                        "| holdfast | network | 2 | 120 | 10 | 120 | 240 | 6 | 2 | 10 | 0 |",
                        " | 9 | 0 | 0 |",
                        "[7, 9]",
                        "why");
    }

    @Test
    void oneRoundWithAFindingOfManyIsNotGood(@TempDir Path folder) throws IOException {
        Path rounds = folder.resolve("rounds-1.txt");
        Files.writeString(
                rounds, outcome(LockLibrary.HOLDFAST, 7, 100, Map.of()).toLine() + "\n");
        assertThat(FaultReport.merge(folder, List.of(folder)).isGood()).isTrue();
        Files.writeString(
                folder.resolve("rounds-2.txt"),
                outcome(LockLibrary.HOLDFAST, 8, 100, Map.of(Rule.ONE_HOLDER, 1))
                        .toLine());
        assertThat(FaultReport.merge(folder, List.of(folder)).isGood()).isFalse();
    }
}
