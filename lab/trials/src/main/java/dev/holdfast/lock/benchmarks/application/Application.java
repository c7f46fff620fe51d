package dev.holdfast.lock.benchmarks.application;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.boot.SpringApplication;

/** Starts a Spring application, says so, and then answers each line on its standard input with what the process consists of. */
public final class Application {

    private Application() {}

    /**
     * Runs until the input ends.
     *
     * @param parts the names of the classes that the application consists of, or that of a test
     * @throws Exception if a class does not exist or the input cannot be read
     */
    public static void main(String[] parts) throws Exception {
        Class<?>[] sources = new Class<?>[parts.length];
        for (int i = 0; i < parts.length; i++) {
            sources[i] = Class.forName(parts[i]);
        }
        boolean isTest = sources[0].getSimpleName().endsWith("Test");
        try (var context = isTest ? Tested.context(sources[0]) : new SpringApplication(sources).run()) {
            answer("ready");
            answerEachLine();
        }
    }

    private static void answerEachLine() throws IOException {
        while (System.in.read() >= 0) {
            // The second collection frees what the first one has only found to be unreachable, such as soft caches of
            // the JDK.
            System.gc();
            System.gc();
            answer("classes=" + ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount() + "|heap="
                    + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + "|threads=" + threads());
        }
    }

    /** Returns the number of threads of each name without its digits. The JVM's own threads are not among them. */
    private static String threads() {
        Map<String, Long> named = Thread.getAllStackTraces().keySet().stream()
                .collect(Collectors.groupingBy(
                        thread -> thread.getName().replaceAll("[0-9]+", "#"), TreeMap::new, Collectors.counting()));
        return named.entrySet().stream()
                .map(entry -> entry.getKey() + " x " + entry.getValue())
                .collect(Collectors.joining(","));
    }

    private static void answer(String text) {
        System.out.println("> " + text);
        System.out.flush();
    }
}
