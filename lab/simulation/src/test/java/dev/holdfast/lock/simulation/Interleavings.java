package dev.holdfast.lock.simulation;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Random;
import java.util.stream.Stream;
import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.randomness.RandomnessProvider;
import org.pastalab.fray.core.scheduler.PCTScheduler;
import org.pastalab.fray.core.scheduler.POSScheduler;

/**
 * Plays a {@link Scene} under Fray, which runs one thread at a time and decides at each monitor, wait and volatile field which one is next. The JVM
 * must be the one that the profile {@code interleavings} links.
 */
final class Interleavings {

    /** Ends a search on a machine that is too busy for it. */
    private static final int MOST_SECONDS = 300;

    /** What came of it: how many schedules were played, and what went wrong in the last one; null if nothing did. */
    record Played(int schedules, @Nullable Throwable fault) {}

    private Interleavings() {}

    /** Plays a scene of the product, or of the product with a mutant, until it goes wrong. */
    static Played play(Scene scene, @Nullable Mutant mutant, int schedules, Path report) {
        MutantLoader loader =
                new MutantLoader(Stream.concat(SceneMutants.NO_IDLE_THREADS.stream(), Stream.ofNullable(mutant))
                        .toArray(Mutant[]::new));
        loader.call(Scene.class, "warmUp");
        Random seeds = new Random(schedules);
        RandomnessProvider chance =
                () -> new ControlledRandom(new ArrayList<>(), new ArrayList<>(), new Random(seeds.nextLong()));
        Configuration configuration = new Configuration(
                new ExecutionInfo(
                        new LambdaExecutor(() -> {
                            loader.call(Scene.class, "play", scene.name());
                            return Unit.INSTANCE;
                        }),
                        false,
                        true,
                        -1),
                report,
                schedules,
                MOST_SECONDS,
                // A round that ends meets a lease that begins only if one of them is stopped for long.
                scene == Scene.ROUNDS
                        ? new PCTScheduler(chance.getRandomness(), 3, 0)
                        : new POSScheduler(chance.getRandomness()),
                chance,
                false,
                false,
                true,
                false,
                false,
                false,
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.NONE,
                0,
                true,
                false,
                false,
                false,
                false,
                false,
                null);
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            Throwable fault = new TestRunner(configuration).run();
            return new Played(configuration.getCurrentIteration() + (fault == null ? 0 : 1), fault);
        } finally {
            System.setOut(out);
        }
    }
}
