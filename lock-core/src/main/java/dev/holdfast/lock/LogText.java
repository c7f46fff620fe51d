package dev.holdfast.lock;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Formats text and durations for logs and messages. A lock's name is data and may contain line breaks or terminal codes. */
public final class LogText {

    private LogText() {}

    /**
     * Escapes control characters and anything else that could break or forge a log line.
     *
     * @return the same text on one line
     */
    public static String escape(String text) {
        StringBuilder escaped = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = !Character.isISOControl(c) && c != '\u2028' && c != '\u2029' && c != '\\';
            if (plain && escaped == null) {
                continue;
            }
            if (escaped == null) {
                escaped = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (plain) {
                escaped.append(c);
            } else {
                escaped.append("\\u").append(String.format("%04x", (int) c));
            }
        }
        return escaped == null ? text : escaped.toString();
    }

    /**
     * Formats a duration for people: {@code 134 ms}, {@code 2.5 s}, {@code 3 min 4 s}, {@code 26 h}.
     *
     * @param time a duration of any length, rounded down to a hundredth of a millisecond or coarser
     * @return the number and the unit
     */
    public static String time(Duration time) {
        if (time.isNegative()) {
            return "-" + time(time.negated());
        }
        if (time.compareTo(Duration.ofSeconds(1)) < 0) {
            return decimal(time.toNanos(), 6, time.toNanos() < 10_000_000 ? 2 : 0) + " ms";
        }
        if (time.compareTo(Duration.ofMinutes(1)) < 0) {
            return decimal(time.toNanos(), 9, 3) + " s";
        }
        if (time.compareTo(Duration.ofHours(1)) < 0) {
            return two(time.toMinutes(), "min", time.toSecondsPart(), "s");
        }
        return two(time.toHours(), "h", time.toMinutesPart(), "min");
    }

    /** Formats a decimal number. Rounds down, so that a text never states more time than has passed. */
    private static String decimal(long number, int point, int digits) {
        return BigDecimal.valueOf(number, point)
                .setScale(digits, RoundingMode.DOWN)
                .stripTrailingZeros()
                .toPlainString();
    }

    private static String two(long large, String unit, long small, String smallUnit) {
        return large + " " + unit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }
}
