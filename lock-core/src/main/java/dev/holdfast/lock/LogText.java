package dev.holdfast.lock;

/** Makes foreign text fit for one line of a log: a lock's name is data, and may hold line breaks or terminal codes. */
public final class LogText {

    private LogText() {}

    /**
     * Escapes control characters and whatever else would break or forge a log line.
     *
     * @param text any text
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
}
