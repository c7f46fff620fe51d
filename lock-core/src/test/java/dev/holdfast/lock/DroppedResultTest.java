package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Error Prone refuses a caller's code that drops a result without which it runs unlocked. */
class DroppedResultTest {

    private static final String FRAME = """
            import dev.holdfast.lock.*;
            class Caller {
                void run(LockClient locks, LeaseLock lock) throws Exception {
                    %s;
                }
            }
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "locks.getLock(\"nightly\")",
                "locks.getFairLock(\"nightly\")",
                "locks.getReadWriteLock(\"nightly\").writeLock()",
                "locks.getMultiLock(java.util.List.of(\"a\", \"b\"))",
                "lock.tryLock()",
                "lock.acquire()",
                "lock.tryAcquire()",
                "lock.acquireAsync(AcquireOptions.defaults())",
                "AcquireOptions.defaults().interruptOnLoss()"
            })
    void droppedResultDoesNotCompile(String call) throws Exception {
        assertThat(compile(call)).contains("[CheckReturnValue]");
        assertThat(compile("var result = " + call)).isEmpty();
    }

    /** What the compiler says. */
    private String compile(String call) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("Caller.java"), FRAME.formatted(call));
        String classPath = System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "javac").toString()));
        Stream.of("api", "file", "main", "model", "parser", "processing", "tree", "util")
                .forEach(name ->
                        command.add("-J--add-exports=jdk.compiler/com.sun.tools.javac." + name + "=ALL-UNNAMED"));
        Stream.of("code", "comp")
                .forEach(
                        name -> command.add("-J--add-opens=jdk.compiler/com.sun.tools.javac." + name + "=ALL-UNNAMED"));
        command.addAll(List.of(
                "-J-XX:+IgnoreUnrecognizedVMOptions",
                "-J--sun-misc-unsafe-memory-access=allow",
                "-XDcompilePolicy=simple",
                "--should-stop=ifError=FLOW",
                "-XDaddTypeAnnotationsToSymbol=true",
                "-Xplugin:ErrorProne -XepDisableAllWarnings",
                "-proc:none",
                "-processorpath",
                classPath,
                "-cp",
                classPath,
                "-d",
                folder.toString(),
                source.toString()));
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(said).isEqualTo(said.isEmpty() ? 0 : 1);
        return said;
    }
}
