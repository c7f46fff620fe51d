package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text beside a lock, as its lines. A later version may write lines that this one does not know, or more at the end of a line. Both stay as they are
 * until they are left out because the text is too long.
 */
public record RecordLines(List<String> all) {

    public static RecordLines of(@Nullable String text) {
        return new RecordLines(Stream.ofNullable(text)
                .flatMap(String::lines)
                .filter(line -> !line.isBlank())
                .toList());
    }

    /** Returns what the lines say that have a form; the function returns null for the others. */
    public <T> Stream<T> say(Function<String, @Nullable T> form) {
        return all.stream().flatMap(line -> Stream.ofNullable(form.apply(line)));
    }

    public RecordLines without(Predicate<String> line) {
        return new RecordLines(all.stream().filter(line.negate()).toList());
    }

    /** Returns other lines, and these after them. */
    public RecordLines after(Stream<String> first) {
        return new RecordLines(Stream.concat(first, all.stream()).toList());
    }

    /** Returns whether the text leaves out a line. */
    public boolean areTooMany() {
        return RecordLines.of(text()).all.size() < all.size();
    }

    /** Returns as many of the first lines as a record takes. */
    public String text() {
        StringBuilder text = new StringBuilder();
        int bytes = 0;
        for (String line : all) {
            String next = (text.isEmpty() ? "" : "\n") + line;
            bytes += next.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > LockRecord.MAX_BYTES) {
                break;
            }
            text.append(next);
        }
        return text.toString();
    }
}
