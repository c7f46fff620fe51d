package dev.holdfast.lock.chaos;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A picture of the first seconds of a run: the holders of each lock, and the faults. */
final class Timeline {

    private static final long SECONDS = 12;
    private static final int WIDTH = 1_200;
    private static final int LEFT = 130;
    private static final int ROW = 26;
    private static final List<String> COLORS = List.of("#2a6fbb", "#c2571a", "#3b8f4a");

    private final StringBuilder svg = new StringBuilder();
    private final long from;
    private final Map<Integer, Double> drawnTo = new HashMap<>();

    private Timeline(long from) {
        this.from = from;
    }

    static String of(Round round, History history) {
        // The picture begins with the first fault, if there is one.
        long from = history.outages().stream()
                .mapToLong(Outage::from)
                .min()
                .orElseGet(() -> history.attempts().stream()
                        .mapToLong(each -> each.askedAt)
                        .min()
                        .orElse(0));
        return new Timeline(from).draw(round, history);
    }

    private String draw(Round round, History history) {
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
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
                .append(WIDTH)
                .append("\" height=\"")
                .append(height)
                .append(
                        "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        label(
                10,
                20,
                round.library() + ", " + round.faultClass() + ", seed " + round.seed()
                        + ": holders by worker, and faults");
        rows.forEach((lock, top) -> label(10, top + 14, lock));
        for (int i = 0; i <= Workers.COUNT; i++) {
            label(10, faults + i * ROW + 14, i < Workers.COUNT ? "worker " + i : "all");
        }
        for (int second = 0; second <= SECONDS; second++) {
            double x = x(from + second * 1_000_000_000L);
            svg.append(String.format("<path d=\"M%.1f 32V%d\" stroke=\"#ddd\"/>%n", x, height - 24));
            label((int) x - 4, height - 8, second + " s");
        }
        history.outages()
                .forEach(outage -> fault(
                        outage, faults, rows.isEmpty() ? 40 : rows.firstEntry().getValue()));
        history.attempts().stream()
                .filter(Attempt::wasHeld)
                .sorted(Comparator.comparingLong(attempt -> attempt.answeredAt))
                .forEach(attempt ->
                        attempt.locks.forEach(lock -> hold(attempt, Objects.requireNonNull(rows.get(lock)))));
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

    private void hold(Attempt attempt, int y) {
        if (isVisible(attempt.answeredAt, attempt.heldAt)) {
            int height = attempt.use.isShared() ? 6 : ROW - 8;
            int top = attempt.use.isShared() ? y + attempt.worker * 6 : y;
            // Hundreds of holds may cover the same few pixels. They are drawn once.
            int row = (attempt.use.isShared() ? 1_000_000 : 0) + y * 10 + attempt.worker;
            if (x(attempt.heldAt) < drawnTo.getOrDefault(row, 0.0)) {
                return;
            }
            drawnTo.put(row, x(attempt.heldAt) + 0.5);
            bar(attempt.answeredAt, attempt.heldAt, top, height, COLORS.get(attempt.worker), 0.9, attempt.toString());
        }
    }

    private void bar(long begin, long end, int y, int height, String color, double opacity, String title) {
        double left = Math.max(LEFT, x(begin));
        double right = Math.min(WIDTH - 20, x(end));
        svg.append(String.format(
                "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" fill-opacity=\"%.2f\"><title>%s</title></rect>%n",
                left, y, Math.max(0.6, right - left), height, color, opacity, title));
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
