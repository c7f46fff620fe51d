package dev.holdfast.lock.spring.interceptor;

import java.time.Duration;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Durations as an annotation or a property states them. A number without a unit is refused: Spring reads it as milliseconds, and most
 * people who write {@code 5} mean seconds. Zero needs no unit.
 */
public final class DurationText {

    public static final String FORMS = "Write the number with its unit, such as 500ms, 5s, 2m, 1h or PT5S";

    private DurationText() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if the text has no unit or is not a duration; the message quotes the text
     */
    public static Duration parse(String text) {
        String stripped = text.strip();
        if (stripped.matches("[+-]?\\d*[1-9]\\d*")) {
            throw new IllegalArgumentException("'" + stripped + "' has no unit");
        }
        try {
            return DurationFormatterUtils.detectAndParse(stripped);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + stripped + "' is not a duration", e);
        }
    }
}
