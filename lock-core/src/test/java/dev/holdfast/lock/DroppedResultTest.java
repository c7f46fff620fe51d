package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Error Prone refuses a caller's code that drops a result without which it runs unlocked. */
class DroppedResultTest {

    static final List<String> CALLS = List.of(
            "locks.getLock(\"nightly\")",
            "locks.getFairLock(\"nightly\")",
            "locks.getReadWriteLock(\"nightly\").writeLock()",
            "locks.getMultiLock(java.util.List.of(\"a\", \"b\"))",
            "lock.tryLock()",
            "lock.acquire()",
            "lock.tryAcquire()",
            "lock.acquireAsync(AcquireOptions.defaults())",
            "AcquireOptions.defaults().interruptOnLoss()");

    /** Each call has a method and a line of its own. */
    private static final String METHOD = "void call%d(LockClient locks, LeaseLock lock) throws Exception { %s; }";

    @TempDir
    private static Path folder;

    private static String said;

    /** One run of the compiler for all calls: Error Prone takes a second to start. */
    @BeforeAll
    static void compileAll() throws Exception {
        said = compile(Stream.concat(CALLS.stream(), CALLS.stream().map(call -> "var result = " + call))
                .toList());
    }

    private static boolean isRefused(int call) {
        return said.lines()
                .anyMatch(
                        line -> line.matches("\\S*Caller\\.java:" + (call + 1) + ": error: \\[CheckReturnValue\\].*"));
    }

    @ParameterizedTest
    @FieldSource("CALLS")
    void droppedResultDoesNotCompile(String call) {
        assertThat(isRefused(CALLS.indexOf(call))).isTrue();
    }

    /** Each call stands there once more, with its result kept. */
    @Test
    void onlyDroppedResultsAreRefused() {
        assertThat(said).endsWith(CALLS.size() + " errors\n");
    }

    /** What the compiler says. */
    private static String compile(List<String> calls) throws IOException, InterruptedException {
        String methods = IntStream.range(0, calls.size())
                .mapToObj(i -> METHOD.formatted(i, calls.get(i)))
                .collect(Collectors.joining("\n"));
        Path source = Files.writeString(
                folder.resolve("Caller.java"), "import dev.holdfast.lock.*; class Caller { " + methods + "\n}\n");
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
                "-J-XX:TieredStopAtLevel=1",
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
        assertThat(compiler.waitFor()).as(said).isOne();
        return said;
    }
}
