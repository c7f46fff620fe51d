package dev.holdfast.lock.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Runs plans that nobody has run before. The first seed is a digest of the sources that decide a run: every change of them is tried with other seeds,
 * and the same sources always give the same answer.
 */
class NewSeedsTest {

    private static final int PLANS = Nightly.Night.isOn() ? 175 : 100;

    private static final List<Path> SOURCES = Stream.of(
                    "lock-core/src/main", "lock-test/src/main", "lab/simulation/src/main")
            .map(folder -> Path.of("..", "..").resolve(folder))
            .toList();

    @Test
    void newSeedsKeepEveryPromise() throws Exception {
        Campaign campaign = new Campaign(System.out, Campaign.Options.seeds(firstSeed(), PLANS));

        Simulation.Result failed = campaign.run();

        campaign.line();
        assertThat(failed).as(() -> Report.of(failed)).isNull();
        assertThat(campaign.counts().grants).isPositive();
    }

    /** Returns a number of nine hexadecimal digits. A file's name and its lines count, but not how the lines end, which a checkout may change. */
    static long firstSeed() throws IOException, NoSuchAlgorithmException {
        TreeMap<String, Path> files = new TreeMap<>();
        for (Path folder : SOURCES) {
            try (Stream<Path> found = Files.walk(folder)) {
                found.filter(Files::isRegularFile)
                        .forEach(file -> files.put(file.toString().replace('\\', '/'), file));
            }
        }
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (var file : files.entrySet()) {
            digest.update(file.getKey().getBytes(UTF_8));
            for (String line : Files.readAllLines(file.getValue())) {
                digest.update((line + "\n").getBytes(UTF_8));
            }
        }
        return HexFormat.fromHexDigitsToLong(HexFormat.of().formatHex(digest.digest()), 0, 9);
    }
}
