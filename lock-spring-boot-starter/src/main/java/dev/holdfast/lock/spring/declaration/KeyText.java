package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LogText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * Converts a key's value to text for a lock's name. Special characters are percent-encoded, the percent sign included, so that different values stay
 * different.
 */
public final class KeyText {

    private KeyText() {}

    /**
     * Converts one value. Text that the caller passed is always accepted. Text that the expression composed is refused if it contains an object's
     * address.
     */
    public static String of(@Nullable Object given, boolean composed) {
        Object value = ObjectUtils.unwrapOptional(given);
        if (value == null) {
            throw new IllegalArgumentException("is null: a lock needs a key that distinguishes it");
        }
        if (value instanceof Iterable<?>
                || value instanceof Map<?, ?>
                || value.getClass().isArray()) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + ": use 'keys' for a lock over each element, or join them into one text");
        }
        String text = value instanceof Enum<?> constant ? constant.name() : value.toString();
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("is blank: a lock needs a key that distinguishes it");
        }
        boolean data = value instanceof CharSequence && !composed;
        if (!data && (hasAddress(text) || text.startsWith(value.getClass().getName() + "@"))) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + " whose text contains the address of an object without a toString(), so every call would see"
                    + " another key: use one of its properties");
        }
        return encode(text);
    }

    /** Returns whether a text contains the result of {@link Object#toString()}: the name of a class or an array, an at sign, and a hash. */
    private static boolean hasAddress(String text) {
        for (int at = text.indexOf('@'); at > 0; at = text.indexOf('@', at + 1)) {
            if (isFollowedByHash(text, at + 1) && isPrecededByClass(text, at)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a hash begins at this index: 5 to 8 hexadecimal digits. Only one hash in 30,000 has fewer than five digits. */
    private static boolean isFollowedByHash(String text, int from) {
        int end = from;
        while (end < text.length() && "0123456789abcdef".indexOf(text.charAt(end)) >= 0) {
            end++;
        }
        boolean more = end < text.length()
                && (Character.isJavaIdentifierPart(text.charAt(end)) || ".-@".indexOf(text.charAt(end)) >= 0);
        return end - from >= 5 && end - from <= 8 && !more;
    }

    private static boolean isPrecededByClass(String text, int at) {
        int start = at;
        while (start > 0
                && (Character.isJavaIdentifierPart(text.charAt(start - 1))
                        || "./;[".indexOf(text.charAt(start - 1)) >= 0)) {
            start--;
        }
        String name = text.substring(start, at);
        return name.indexOf('.') >= 0 || name.matches("\\[+[ZBCSIJFD]");
    }

    static List<String> ofMany(@Nullable Object given, boolean composed) {
        Object value = ObjectUtils.unwrapOptional(given);
        boolean isArray = value != null && value.getClass().isArray();
        Collection<?> elements = value instanceof Collection<?> several
                ? several
                : Arrays.asList(isArray ? ObjectUtils.toObjectArray(value) : new @Nullable Object[] {value});
        if (elements.isEmpty()) {
            throw new IllegalArgumentException("is empty: there is nothing to lock");
        }
        return elements.stream()
                .map(each -> of(each, composed))
                .distinct()
                .sorted()
                .toList();
    }

    /** Refuses a text that is not one line of 1 to {@code most} characters. */
    public static void checkLine(String what, String text, int most) {
        if (text.isBlank() || text.length() > most || !isFitForName(text)) {
            throw new IllegalArgumentException(
                    what + " must have 1 to " + most + " characters on one line, was '" + LogText.escape(text) + "'");
        }
    }

    public static boolean isFitForName(String name) {
        return name.codePoints().allMatch(KeyText::isPrintable);
    }

    private static boolean isPrintable(int point) {
        return !Character.isISOControl(point)
                && point != 0x2028
                && point != 0x2029
                && Character.getType(point) != Character.SURROGATE;
    }

    private static boolean isPlain(int point) {
        return point != '%' && point != '{' && point != '}' && isPrintable(point);
    }

    private static String encode(String text) {
        return text.codePoints().allMatch(KeyText::isPlain)
                ? text
                : text.codePoints().mapToObj(KeyText::encode).collect(Collectors.joining());
    }

    private static String encode(int point) {
        if (isPlain(point)) {
            return Character.toString(point);
        }
        if (Character.getType(point) == Character.SURROGATE) {
            // Half of a surrogate pair has no UTF-8. The letter "u" and four digits differ from every encoded byte
            // sequence.
            return String.format("%%u%04X", point);
        }
        byte[] units = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().withUpperCase().withPrefix("%").formatHex(units);
    }
}
