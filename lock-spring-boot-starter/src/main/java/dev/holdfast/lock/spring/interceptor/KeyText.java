package dev.holdfast.lock.spring.interceptor;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** A key's value as text in a lock's name. Different values differ as text: percent-encoded, the percent sign included. */
final class KeyText {

    private KeyText() {}

    static String of(@Nullable Object given) {
        Object value = ObjectUtils.unwrapOptional(given);
        if (value == null) {
            throw new IllegalArgumentException("is null: a lock needs something to tell it from the others");
        }
        if (value instanceof Iterable<?>
                || value instanceof Map<?, ?>
                || value.getClass().isArray()) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + ": use 'keys' for a lock over each element, or join them into one text");
        }
        String text = value instanceof Enum<?> constant ? constant.name() : value.toString();
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("is blank: a lock needs something to tell it from the others");
        }
        if (isIdentity(text, value)) {
            throw new IllegalArgumentException("is a " + value.getClass().getTypeName()
                    + " that has no toString(), so every process would see another key: use one of its properties");
        }
        return encode(text);
    }

    /** Whether a text is what {@link Object#toString()} returns. Without reflection, which a native image would need hints for. */
    private static boolean isIdentity(String text, Object value) {
        String type = value.getClass().getName();
        return text.length() > type.length()
                && text.charAt(type.length()) == '@'
                && text.equals(type + "@" + Integer.toHexString(value.hashCode()));
    }

    static List<String> ofMany(@Nullable Object given) {
        Object value = ObjectUtils.unwrapOptional(given);
        boolean isArray = value != null && value.getClass().isArray();
        Collection<?> elements = value instanceof Collection<?> several
                ? several
                : Arrays.asList(isArray ? ObjectUtils.toObjectArray(value) : new @Nullable Object[] {value});
        if (elements.isEmpty()) {
            throw new IllegalArgumentException("is empty: there is nothing to lock");
        }
        return elements.stream().map(KeyText::of).distinct().sorted().toList();
    }

    static boolean isFitForName(String name) {
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
            // Half of a pair has no UTF-8; four digits tell it from every encoded byte sequence.
            return String.format("%%u%04X", point);
        }
        byte[] units = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().withUpperCase().withPrefix("%").formatHex(units);
    }
}
