package dev.holdfast.lock.testing;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/** How many objects of each internal class of Holdfast are alive in this JVM. What a client forgets is garbage, wherever it was kept. */
public record LiveObjects(Map<String, Long> counts) {

    private static final Pattern LINE =
            Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(dev\\.holdfast\\.lock\\.internal\\.\\S+).*");
    private static final Duration LIMIT = Duration.ofSeconds(40);

    /** Collects garbage first. */
    public static LiveObjects now() {
        Map<String, Long> counts = new TreeMap<>();
        histogram()
                .lines()
                .map(LINE::matcher)
                .filter(line -> line.matches())
                .forEach(line -> counts.merge(
                        // Each lambda has a class of its own, whose number differs from run to run.
                        line.group(2).replaceAll("/0x.*", ""), Long.valueOf(line.group(1)), Long::sum));
        return new LiveObjects(counts);
    }

    /** The JVM's table of live objects by class, as text. */
    public static String histogram() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until no class has more objects than at this moment, apart from so many. */
    public void awaitForgotten(int few) {
        Await.until("what ended is forgotten", LIMIT, () -> {
            Map<String, Long> more = more(few);
            if (!more.isEmpty()) {
                throw new IllegalStateException("More objects than before: " + more);
            }
            return true;
        });
    }

    private Map<String, Long> more(int few) {
        Map<String, Long> more = new TreeMap<>(now().counts);
        more.replaceAll((type, count) -> count - counts.getOrDefault(type, 0L));
        more.values().removeIf(count -> count <= few);
        return more;
    }
}
