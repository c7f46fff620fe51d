package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each scene goes well in hundreds of interleavings, and goes wrong with each race that is put in. Only under {@code lab/run interleavings}. */
@Tag("interleavings")
class InterleavingsTest {

    private static final int SCHEDULES = Integer.getInteger("interleavings", 200);

    @TempDir
    Path report;

    static List<SceneMutants.Race> races() {
        return SceneMutants.ALL;
    }

    @ParameterizedTest
    @EnumSource
    void aSceneGoesWell(Scene scene) {
        assertThat(play(scene, null, SCHEDULES).fault()).as(scene.name()).isNull();
    }

    @ParameterizedTest
    @MethodSource("races")
    void aRaceIsFound(SceneMutants.Race race) {
        assertThat(play(race.scene(), race.mutant(), 20 * SCHEDULES).fault())
                .as(race.toString())
                .isNotNull();
    }

    private Interleavings.Played play(Scene scene, Mutant mutant, int schedules) {
        long start = System.nanoTime();
        Interleavings.Played played = Interleavings.play(scene, mutant, schedules, report);
        System.out.printf(
                "| %s | %s | %d | %.1f s | %s |%n",
                scene,
                mutant == null ? "" : mutant,
                played.schedules(),
                (System.nanoTime() - start) / 1e9,
                played.fault());
        return played;
    }
}
