package dev.holdfast.lock.chaos;

import dev.holdfast.check.CheckedLibrary;
import dev.holdfast.check.Checker;
import dev.holdfast.check.FaultLog;
import dev.holdfast.check.Findings;
import dev.holdfast.check.History;
import dev.holdfast.check.Rule;
import dev.holdfast.check.Run;
import dev.holdfast.check.Stage;
import dev.holdfast.check.Terms;
import dev.holdfast.check.Workers;
import dev.holdfast.lock.trials.LockLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One run with a library, a class of faults, a seed and a length. */
record Round(LockLibrary library, FaultClass faultClass, long seed, int seconds) {

    /** The result of a run. */
    record Result(Round round, History history, Findings findings) {

        Outcome outcome() {
            return Outcome.of(this);
        }
    }

    Result run(Path folder) throws InterruptedException {
        FaultLog log = new FaultLog();
        try (Stage stage = faultClass.open()) {
            // The effects of the faults must heal by themselves, under load.
            int rest = faultClass == FaultClass.NONE ? 0 : seconds < Run.STORM_SECONDS ? 2 : 4;
            Run.Result result = new Run(checked(), seed, seconds, rest, logs(folder)).on(stage, log);
            return check(result.history(), result.left());
        }
    }

    private CheckedLibrary checked() {
        return switch (library) {
            case HOLDFAST -> CheckedLibrary.HOLDFAST;
            case NAIVE -> CheckedLibrary.NAIVE;
            case REDISSON -> CheckedLibrary.REDISSON;
            default -> throw new IllegalArgumentException("No fault tests of " + library);
        };
    }

    private Path logs(Path folder) {
        try {
            return Files.createDirectories(folder.resolve(library + "-" + faultClass + "-" + seed));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Result check(History history, List<String> left) {
        Terms terms = library == LockLibrary.HOLDFAST
                ? faultClass.terms()
                : faultClass.terms().withoutLossReports();
        Findings findings = Checker.check(history, terms, Workers.COUNT);
        left.forEach(each -> findings.broken(Rule.NOTHING_LEFT, each));
        return new Result(this, history, findings);
    }
}
