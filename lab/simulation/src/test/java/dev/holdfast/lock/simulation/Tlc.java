package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Lets TLC look for runs in the model. One start of TLC checks many runs. */
final class Tlc {

    private static final Path MODEL = Path.of("../../docs/contributing/model");
    private static final Pattern REACHED = Pattern.compile("<<\"reached\", (\\d+), (\\d+)>>");

    private static final int MOST_SHOWN = 25;

    private Tlc() {}

    /**
     * What TLC said of some runs.
     *
     * @param reached for each run, the number of its last event that the model allows; 0 for a refused run if TLC was not asked to explain
     */
    private record Verdict(List<Integer> reached, String output) {}

    /** Returns the numbers of the runs that the model does not allow. */
    static List<Integer> refused(List<ModelTrace.Run> runs, UnaryOperator<String> change) {
        Verdict verdict = check(runs, change, false);
        assertThat(verdict.output()).contains("Model checking completed");
        return IntStream.range(0, runs.size())
                .filter(i -> verdict.reached.get(i) < runs.get(i).events().size())
                .boxed()
                .toList();
    }

    /** Returns the last events of a refused run, up to the one that the model does not allow. */
    static String explain(ModelTrace.Run run) {
        int reached =
                check(List.of(run), UnaryOperator.identity(), true).reached.get(0);
        List<String> events = run.events();
        return String.join(
                "\n", events.subList(Math.max(0, reached - MOST_SHOWN), Math.min(reached + 1, events.size())));
    }

    private static Verdict check(List<ModelTrace.Run> runs, UnaryOperator<String> change, boolean explains) {
        int owners = runs.stream().mapToInt(ModelTrace.Run::owners).max().orElse(1);
        String data = runs.stream()
                .map(ModelTrace.Run::text)
                .collect(Collectors.joining(
                        ",\n",
                        "---- MODULE TraceData ----\nEXTENDS Integers, Sequences\nMostOwners == " + owners
                                + "\nExplains == " + (explains ? "TRUE" : "FALSE") + "\nRuns == <<",
                        ">>\n====\n"));
        try {
            Path folder = Files.createTempDirectory(Path.of("target"), "traces-");
            Files.writeString(folder.resolve("TraceData.tla"), data);
            for (String file : List.of("Trace.tla", "Trace.cfg")) {
                Files.copy(MODEL.resolve(file), folder.resolve(file));
            }
            Files.writeString(folder.resolve("Lock.tla"), change.apply(Files.readString(MODEL.resolve("Lock.tla"))));
            String output = run(folder);
            int[] reached = new int[runs.size()];
            Matcher line = REACHED.matcher(output);
            while (line.find()) {
                int run = Integer.parseInt(line.group(1)) - 1;
                reached[run] = Math.max(reached[run], Integer.parseInt(line.group(2)));
            }
            return new Verdict(IntStream.of(reached).boxed().toList(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String run(Path folder) throws IOException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        // A sample is checked before an optimizing compiler would pay off.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx1g",
                        "-Xss16m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "tlc2.TLC",
                        "-workers",
                        "2",
                        "-config",
                        "Trace.cfg",
                        "Trace.tla")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
