package dev.holdfast.lock.proxy;

import java.util.List;
import java.util.Locale;

/** One request, reply or push of the Redis protocol, as it crossed the wire. Its text is decoded as UTF-8. */
public final class RespFrame {

    private final byte[] bytes;
    private final List<String> words;

    RespFrame(byte[] bytes, List<String> words) {
        this.bytes = bytes;
        this.words = List.copyOf(words);
    }

    /** The strings in it, in order: of a request its name and arguments, of a message its kind, channel and payload. */
    public List<String> words() {
        return words;
    }

    /** The first word, upper case: {@code "EVALSHA"}, or {@code "MESSAGE"}. Empty if there is none. */
    public String name() {
        return words.isEmpty() ? "" : words.get(0).toUpperCase(Locale.ROOT);
    }

    public boolean isNamed(String name) {
        return name().equals(name.toUpperCase(Locale.ROOT));
    }

    /** Whether one of the words contains the text: a key, a channel, a part of a script. */
    public boolean contains(String text) {
        return words.stream().anyMatch(word -> word.contains(text));
    }

    @Override
    public String toString() {
        return words.toString();
    }

    boolean isPush() {
        return bytes[0] == '>';
    }

    /** Not copied: for the proxy, which only passes it on. */
    public byte[] raw() {
        return bytes;
    }
}
