package dev.holdfast.lock.testing;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Marks a test class that starts JVMs, a browser or a database. Such classes run one at a time, in whichever processes and modules the tests run: a
 * start keeps all cores busy, and beside others it may take longer than a test's limit.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OneAtATime.Turn.class)
public @interface OneAtATime {

    /** Waits for the turn of a class. The limits of its tests do not count this time. The turn ends with the class, or with the process. */
    final class Turn implements BeforeAllCallback {

        private static final Path FILE = Path.of(
                System.getProperty("java.io.tmpdir"), "holdfast-tests-of-" + System.getProperty("user.name") + ".lock");

        @Override
        public void beforeAll(ExtensionContext context) {
            context.getStore(ExtensionContext.Namespace.create(Turn.class))
                    .computeIfAbsent(Turn.class, none -> begin(), AutoCloseable.class);
        }

        private static AutoCloseable begin() {
            try {
                FileChannel file = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                // Closing the file ends the lock.
                file.lock();
                return file;
            } catch (IOException e) {
                throw new IllegalStateException("Cannot lock " + FILE, e);
            }
        }
    }
}
