package dev.holdfast.lock.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets TLC explore the model of the protocol and its broken variants, which TLC must refute. The first argument is the folder of the model. Exits
 * with 1 if a variant does not end as expected.
 */
public final class ModelCheck {

    /**
     * One way to check the model.
     *
     * @param module the module that TLC explores
     * @param violated the invariant that must not hold; empty if all must hold
     * @param changes changes of the configuration, as {@code Name = value}
     */
    private record Variant(String module, String name, String violated, List<String> changes) {

        static Variant holds(String name, String... changes) {
            return new Variant(LOCK, name, "", List.of(changes));
        }

        static Variant breaks(String name, String violated, String... changes) {
            return new Variant(LOCK, name, violated, List.of(changes));
        }

        /** Returns a variant of the grace after a failover. */
        static Variant grace(String name, String violated, String... changes) {
            return new Variant(FAILOVER, name, violated, List.of(changes));
        }

        String configure(String configuration) {
            String changed = configuration;
            for (String change : changes) {
                String constant = change.substring(0, change.indexOf(" = "));
                String next = changed.replaceFirst("(?m)^    " + constant + " = .*$", "    " + change);
                if (next.equals(changed)) {
                    throw new IllegalStateException("Nothing to change for " + change);
                }
                changed = next;
            }
            // If Redis loses confirmed data, two holders cannot be excluded.
            return changes.contains("MaxLosses = 1") ? changed.replace("HolderIsRight ", "") : changed;
        }
    }

    private static final String LOCK = "Lock";
    private static final String FAILOVER = "Failover";
    private static final String HOLDER_IS_RIGHT = "HolderIsRight";
    private static final String LOSS = "MaxLosses = 1";
    private static final String ONE_ATTEMPT = "MaxGen = 1";
    private static final String SHORT = "Leases = {2}";

    private static final List<Variant> VARIANTS = List.of(
            Variant.breaks("state is counted up instead of written", "CountIsTrue", "Written = FALSE"),
            Variant.breaks("a release does not name its owner", "HolderIsRight", "OwnerNamed = FALSE"),
            Variant.breaks("an answer counts from its arrival", "HolderIsRight", "FromSending = FALSE"),
            Variant.breaks("a grant by a release counts from its arrival", "HolderIsRight", "Pushed = \"arrival\""),
            Variant.breaks("... from the last question sent", "HolderIsRight", "Pushed = \"sent\""),
            Variant.breaks(
                    "... from the last question refused, whatever its token", "HolderIsRight", "Pushed = \"busy\""),
            Variant.breaks("... also from a question without a wait", "HolderIsRight", "TryBelieved = TRUE"),
            Variant.breaks(
                    "tokens from a counter that is lost with the data",
                    "TokensGrow",
                    "TokenByClock = FALSE",
                    LOSS,
                    ONE_ATTEMPT),
            Variant.breaks(
                    "passed on in memory without a confirmation",
                    "TokensGrow",
                    "Confirmed = FALSE",
                    LOSS,
                    ONE_ATTEMPT,
                    SHORT),
            Variant.breaks(
                    "a renewal does not name its token", "TokensGrow", "TokenNamed = FALSE", LOSS, ONE_ATTEMPT, SHORT),
            Variant.holds("the protocol, and Redis loses data", LOSS, ONE_ATTEMPT, SHORT),
            Variant.holds("the protocol", "MaxToken = 2", SHORT),
            Variant.grace("no grace", HOLDER_IS_RIGHT, "Grace = 0"),
            Variant.grace("too short a grace", HOLDER_IS_RIGHT, "Grace = 2"),
            Variant.grace("the reign is not compared", HOLDER_IS_RIGHT, "Compared = FALSE"),
            Variant.grace(
                    "the client names the reign: X, Y, X", HOLDER_IS_RIGHT, "NamedByServer = FALSE", "MaxReigns = 3"),
            Variant.grace("anybody may assert", HOLDER_IS_RIGHT, "HoldersOnly = FALSE"),
            Variant.grace(
                    "an assertion after a release counts", HOLDER_IS_RIGHT, "TokenCompared = FALSE", "MaxToken = 3"),
            Variant.grace(
                    "a release grants, although an earlier one was lost",
                    HOLDER_IS_RIGHT,
                    "ReleasesWait = FALSE",
                    "MaxToken = 3"),
            Variant.grace("a lease is prolonged at once", HOLDER_IS_RIGHT, "Late = FALSE"),
            Variant.grace("the grace", ""),
            Variant.grace("the grace, and Redis is flushed", "", "MaxFlushes = 1", "MaxToken = 1"));

    private static final Pattern STATES =
            Pattern.compile("([\\d,]+) states generated, ([\\d,]+) distinct states found");
    private static final Pattern DEPTH = Pattern.compile("depth of the complete state graph search is (\\d+)");
    private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");

    private ModelCheck() {}

    /**
     * Checks all variants.
     *
     * @param args the folder of the model
     */
    public static void main(String[] args) throws Exception {
        Path model = Path.of(args[0]);
        boolean good = true;
        System.out.println("| variant | result | distinct states | depth | s |\n| --- | --- | ---: | ---: | ---: |");
        for (Variant variant : VARIANTS) {
            good &= check(variant, model);
        }
        System.exit(good ? 0 : 1);
    }

    private static boolean check(Variant variant, Path model) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("holdfast-model-");
        String source = variant.module() + ".tla";
        String configuration = variant.module() + ".cfg";
        Files.copy(model.resolve(source), folder.resolve(source));
        Files.writeString(
                folder.resolve(configuration), variant.configure(Files.readString(model.resolve(configuration))));
        long begin = System.nanoTime();
        String output = runTlc(folder, variant.module());
        long seconds = (System.nanoTime() - begin) / 1_000_000_000;
        Matcher violated = VIOLATED.matcher(output);
        String found = violated.find() ? violated.group(1) : "";
        boolean complete = output.contains("No error has been found");
        boolean expected = variant.violated().isEmpty() ? complete : found.equals(variant.violated());
        String result = found.isEmpty() ? (complete ? "holds" : "not finished") : "breaks " + found;
        System.out.printf(
                Locale.ROOT,
                "| %s | %s%s | %s | %s | %d |%n",
                variant.name(),
                result,
                expected ? "" : " (UNEXPECTED)",
                last(STATES, 2, output),
                last(DEPTH, 1, output),
                seconds);
        if (!expected) {
            System.out.println(output);
        }
        return expected;
    }

    private static String last(Pattern pattern, int group, String output) {
        String found = "?";
        for (Matcher matcher = pattern.matcher(output); matcher.find(); ) {
            found = matcher.group(group);
        }
        return found;
    }

    private static String runTlc(Path folder, String module) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:+UseParallelGC",
                        "-Xmx2g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "tlc2.TLC",
                        "-workers",
                        "auto",
                        "-config",
                        module + ".cfg",
                        module + ".tla")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
