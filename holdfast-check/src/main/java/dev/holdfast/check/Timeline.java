package dev.holdfast.check;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A picture of some seconds of a run: the holders of each lock, with a lane for each worker, and the faults. */
public final class Timeline {

    static final List<String> COLORS = List.of("#2a6fbb", "#c2571a", "#3b8f4a");

    private static final long SECONDS = 12;
    private static final int WIDTH = 1_200;
    private static final int LEFT = 130;
    private static final int ROW = 26;
    private static final int LANE = 6;

    private final StringBuilder svg = new StringBuilder();
    private final long from;
    private final Map<Integer, Double> drawnTo = new HashMap<>();

    private Timeline(long from) {
        this.from = from;
    }

    /** Draws a run from its first fault on, or from its begin if there is none. */
    public static String of(String title, History history) {
        long from = history.outages().stream()
                .mapToLong(Outage::from)
                .min()
                .orElseGet(() -> history.attempts().stream()
                        .mapToLong(each -> each.askedAt)
                        .min()
                        .orElse(0));
        return of(title, history, from);
    }

    static String of(String title, History history, long from) {
        return new Timeline(from).draw(title, history);
    }

    private String draw(String title, History history) {
        TreeMap<String, Integer> rows = new TreeMap<>();
        int y = 40;
        for (String lock : history.attempts().stream()
                .flatMap(attempt -> attempt.locks.stream())
                .distinct()
                .sorted()
                .toList()) {
            rows.put(lock, y);
            y += ROW;
        }
        int faults = y + 10;
        int height = faults + (Workers.COUNT + 1) * ROW + 30;
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(height)
                .append(
                        "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        label(10, 20, title);
        rows.forEach((lock, top) -> label(10, top + 14, lock));
        for (int i = 0; i <= Workers.COUNT; i++) {
            label(10, faults + i * ROW + 14, i < Workers.COUNT ? "worker " + i : "all");
        }
        for (int second = 0; second <= SECONDS; second++) {
            double x = x(from + second * 1_000_000_000L);
            svg.append(String.format(Locale.ROOT, "<path d=\"M%.1f 32V%d\" stroke=\"#ddd\"/>%n", x, height - 24));
            label((int) x - 4, height - 8, second + " s");
        }
        history.outages()
                .forEach(outage -> fault(
                        outage, faults, rows.isEmpty() ? 40 : rows.firstEntry().getValue()));
        List<Attempt> holds = history.attempts().stream()
                .filter(Attempt::wasHeld)
                .sorted(Comparator.comparingLong(attempt -> attempt.answeredAt))
                .toList();
        new HolderCheck(pair -> overlap(pair, Objects.requireNonNull(rows.get(pair.lock())))).check(holds);
        holds.forEach(attempt -> attempt.locks.forEach(lock -> hold(attempt, Objects.requireNonNull(rows.get(lock)))));
        return svg.append("</svg>\n").toString();
    }

    private double x(long at) {
        return LEFT + (at - from) / 1e9 / SECONDS * (WIDTH - LEFT - 20);
    }

    private boolean isVisible(long begin, long end) {
        return end >= from && begin <= from + SECONDS * 1_000_000_000L;
    }

    private void fault(Outage outage, int top, int locks) {
        if (!isVisible(outage.from(), outage.until())) {
            return;
        }
        int y = top + (outage.worker() == Outage.ALL ? Workers.COUNT : outage.worker()) * ROW;
        bar(outage.from(), outage.until(), y, ROW - 8, "#d33", 0.55, outage.fault());
        if (outage.worker() == Outage.ALL) {
            bar(outage.from(), outage.until(), locks, top - locks - 10, "#d33", 0.08, outage.fault());
        }
    }

    private void overlap(HolderCheck.Pair pair, int y) {
        if (isVisible(pair.later().answeredAt, pair.earlier().heldAt)) {
            bar(pair.later().answeredAt, pair.until(), y - 3, ROW - 2, "#d33", 0.35, pair.toString());
        }
    }

    private void hold(Attempt attempt, int y) {
        if (isVisible(attempt.answeredAt, attempt.heldAt)) {
            // Hundreds of holds may cover the same few pixels. They are drawn once.
            int lane = y + attempt.worker * LANE;
            if (x(attempt.heldAt) < drawnTo.getOrDefault(lane, 0.0)) {
                return;
            }
            drawnTo.put(lane, x(attempt.heldAt) + 0.5);
            bar(
                    attempt.answeredAt,
                    attempt.heldAt,
                    lane,
                    LANE,
                    COLORS.get(attempt.worker % COLORS.size()),
                    0.9,
                    attempt.toString());
        }
    }

    private void bar(long begin, long end, int y, int height, String color, double opacity, String title) {
        double left = Math.max(LEFT, x(begin));
        double right = Math.min(WIDTH - 20, x(end));
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" fill-opacity=\"%.2f\"><title>%s</title></rect>%n",
                left,
                y,
                Math.max(0.6, right - left),
                height,
                color,
                opacity,
                title));
    }

    private void label(int x, int y, String text) {
        svg.append("<text x=\"")
                .append(x)
                .append("\" y=\"")
                .append(y)
                .append("\">")
                .append(text)
                .append("</text>\n");
    }
}
