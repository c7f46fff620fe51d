package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The history of a run, as a hash that any difference changes. If it is to be readable, it also has lines. */
final class History {

    /** One line: the time, the actor and the event. */
    record Line(long at, String who, String what) {}

    private final boolean readable;
    private final List<Line> lines = new ArrayList<>();
    private long hash = 0xCBF29CE484222325L;

    History(boolean readable) {
        this.readable = readable;
    }

    void add(long at, String who, String what, String object, long number) {
        mix(at);
        mix(who.hashCode());
        mix(what.hashCode());
        mix(object.hashCode());
        mix(number);
        if (readable) {
            lines.add(new Line(
                    at, who, what + (object.isEmpty() ? "" : " " + object) + (number == 0 ? "" : " " + number)));
        }
    }

    private void mix(long value) {
        hash = (hash ^ value) * 0x100000001B3L;
        hash ^= hash >>> 29;
    }

    long hash() {
        return hash;
    }

    /** Returns a table of the last lines. */
    String table(int most) {
        StringBuilder table = new StringBuilder("|        ms | who        | what\n|----------:|------------|-----\n");
        for (Line line : lines.subList(Math.max(0, lines.size() - most), lines.size())) {
            table.append(String.format(Locale.ROOT, "| %9.3f | %-10s | %s%n", line.at / 1e6, line.who, line.what));
        }
        return table.toString();
    }

    int size() {
        return lines.size();
    }
}
