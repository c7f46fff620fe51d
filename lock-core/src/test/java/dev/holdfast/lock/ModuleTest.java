package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users on the module path see. */
@OneAtATime
class ModuleTest {

    private static final String MODULE = "module caller { requires dev.holdfast.lock; }";

    private static final String CALLER = """
        package caller;
        import dev.holdfast.lock.*;
        import dev.holdfast.lock.redis.*;
        public class Caller {
            public static void main(String[] args) throws Exception {
                try (LockClient locks = RedisLockClient.create(RedisSource.of(args[0]))) {
                    LeaseLock lock = locks.getLock("of-a-module");
                        System.out.println(lock.tryLock());
                        lock.unlock();
                }
            }
        }
        """;

    @TempDir
    Path folder;

    @Test
    @Nightly(inEachBuild = "the exports, and lock-test, which is compiled against them")
    void lockIsAcquiredOnTheModulePath() throws Exception {
        String modules = Stream.concat(
                        Stream.of(classes().toString()),
                        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(entry -> entry.matches(
                                        ".*/(lettuce-|netty-|reactor-|reactive-|jspecify|redis-authx|slf4j-api).*")))
                .collect(Collectors.joining(File.pathSeparator));
        Path module = Files.writeString(folder.resolve("module-info.java"), MODULE);
        Path caller = Files.writeString(folder.resolve("Caller.java"), CALLER);
        run(
                "javac",
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-p",
                modules,
                "-d",
                folder.resolve("caller").toString(),
                module.toString(),
                caller.toString());

        String said = run(
                "java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-p",
                modules + File.pathSeparator + folder.resolve("caller"),
                "-m",
                "caller/caller.Caller",
                RedisServer.shared().uri().toURI().toString());

        assertThat(said.lines()).contains("true");
    }

    private static String run(String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", tool).toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(LockClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    @Test
    void onlyTheApiTheClientsCompositesAndElectionsAreExported() throws URISyntaxException {
        ModuleDescriptor module = ModuleFinder.of(classes())
                .find("dev.holdfast.lock")
                .orElseThrow()
                .descriptor();
        assertThat(module.exports())
                .filteredOn(ModuleDescriptor.Exports::isQualified)
                .allMatch(exported -> exported.targets().equals(Set.of("dev.holdfast.lock.test")));
        assertThat(module.exports())
                .filteredOn(exported -> !exported.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder(
                        "dev.holdfast.lock",
                        "dev.holdfast.lock.composite",
                        "dev.holdfast.lock.leader",
                        "dev.holdfast.lock.redis");
        assertThat(module.opens()).isEmpty();
    }
}
