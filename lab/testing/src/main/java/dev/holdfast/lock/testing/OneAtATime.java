package dev.holdfast.lock.testing;

import java.io.Closeable;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Marks a test or a test class that starts JVMs or a browser. These tests run one at a time, across all processes and modules, because each start
 * keeps all cores busy, and several at once could exceed a test's limit. A test that only starts a database takes a {@linkplain Turn#take() turn} to
 * do so.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OneAtATime.Turn.class)
public @interface OneAtATime {

    /** Waits for the turn of a class or test. The limits of tests do not count this time. The turn ends with the class or test, or with the process. */
    final class Turn implements BeforeAllCallback, BeforeEachCallback {

        private static final Path FILE = Path.of(
                System.getProperty("java.io.tmpdir"), "holdfast-tests-of-" + System.getProperty("user.name") + ".lock");

        /** Whether this JVM, which runs one class at a time, has the turn. */
        private static boolean taken;

        @Override
        public void beforeAll(ExtensionContext context) {
            take(context);
        }

        @Override
        public void beforeEach(ExtensionContext context) {
            take(context);
        }

        private static void take(ExtensionContext context) {
            context.getStore(ExtensionContext.Namespace.create(Turn.class))
                    .computeIfAbsent(Turn.class, none -> take(), AutoCloseable.class);
        }

        /** Waits for a turn, which ends when it is closed. Within the turn of a class, this is a part of it. */
        public static synchronized Closeable take() {
            if (taken) {
                return () -> {};
            }
            try {
                FileChannel file = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                file.lock();
                taken = true;
                return () -> end(file);
            } catch (IOException e) {
                throw new IllegalStateException("Cannot lock " + FILE, e);
            }
        }

        private static synchronized void end(FileChannel file) throws IOException {
            taken = false;
            // This also ends the lock.
            file.close();
        }
    }
}
