package dev.holdfast.lock.simulation.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The protocol of Redis, as far as the product uses it. */
public final class Resp {

    private final byte[] bytes;
    private int at;

    private Resp(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the commands that a client has written, with their arguments. */
    static List<List<String>> commands(byte[] written) {
        Resp input = new Resp(written);
        List<List<String>> commands = new ArrayList<>(1);
        while (input.at < written.length) {
            int count = input.header('*');
            List<String> command = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                command.add(input.text(input.header('$')));
            }
            commands.add(command);
        }
        return commands;
    }

    private int header(char kind) {
        if (bytes[at++] != kind) {
            throw new IllegalStateException(
                    "'" + kind + "' is missing in " + new String(bytes, StandardCharsets.UTF_8));
        }
        int number = 0;
        for (; bytes[at] != '\r'; at++) {
            number = 10 * number + bytes[at] - '0';
        }
        at += 2;
        return number;
    }

    private String text(int length) {
        String text = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length + 2;
        return text;
    }

    /** Returns an answer: a number, a text, nothing, or a list of these. */
    public static byte[] answer(@Nullable Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, '*', value);
        return out.toByteArray();
    }

    /** Returns a message that does not answer a command, unless it confirms a subscription. */
    public static byte[] push(Object... values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, '>', List.of(values));
        return out.toByteArray();
    }

    /** Returns a refusal. */
    public static byte[] error(String message) {
        return ("-" + message.replaceAll("[\r\n]+", " ") + "\r\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void write(ByteArrayOutputStream out, char list, @Nullable Object value) {
        if (value == null) {
            line(out, "$-1");
        } else if (value instanceof Long number) {
            line(out, ":" + number);
        } else if (value instanceof List<?> values) {
            line(out, list + Integer.toString(values.size()));
            values.forEach(each -> write(out, '*', each));
        } else {
            byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
            line(out, "$" + text.length);
            out.writeBytes(text);
            line(out, "");
        }
    }

    private static void line(ByteArrayOutputStream out, String text) {
        out.writeBytes((text + "\r\n").getBytes(StandardCharsets.UTF_8));
    }
}
