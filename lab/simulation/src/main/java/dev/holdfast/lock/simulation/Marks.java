package dev.holdfast.lock.simulation;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how often the place of a fault that was put in is passed. A hunt that never passes it has found nothing out. */
public final class Marks {

    /** Where a script passes a mark, it asks whether this key exists. */
    private static final String KEY = "holdfast:mark";

    /** What a script that passes a mark says. */
    public static final String IN_SCRIPT = "redis.call('exists', '" + KEY + "')";

    /** What a source that passes a mark says. */
    public static final String IN_SOURCE = "dev.holdfast.lock.simulation.Marks.pass();";

    /** More commands than any script calls. With a fault, a script may have no end. */
    private static final int MOST_COMMANDS = 200_000;

    private static final AtomicLong PASSED = new AtomicLong();
    private static final AtomicLong COMMANDS = new AtomicLong();

    private Marks() {}

    public static void pass() {
        PASSED.incrementAndGet();
    }

    /** Says that a script begins. */
    public static void begin() {
        COMMANDS.set(0);
    }

    /** Looks at each command of a script. */
    public static void look(String command, List<String> args) {
        if (COMMANDS.incrementAndGet() > MOST_COMMANDS) {
            throw new AssertionError("A script calls more than " + MOST_COMMANDS + " commands");
        }
        if (command.equals("exists") && args.get(0).equals(KEY)) {
            pass();
        }
    }

    /** Returns how often marks were passed in this JVM. */
    public static long passed() {
        return PASSED.get();
    }
}
