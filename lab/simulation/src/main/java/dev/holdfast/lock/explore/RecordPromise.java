package dev.holdfast.lock.explore;

import dev.holdfast.lock.LockRecord;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A reader of a record sees what the last holder wrote. */
final class RecordPromise {

    private static final Duration KEEP = Duration.ofMinutes(1);

    private final Promises promises;
    /** The greatest token whose text is certainly written. */
    private long written;

    RecordPromise(Promises promises) {
        this.promises = promises;
    }

    long written() {
        return written;
    }

    /** Writes as the holder, and reads. */
    void use(Hold hold, LockRecord record) {
        long token = hold.lease.fencingToken();
        record.writeAsync(hold.lease, Long.toString(token), KEEP).whenComplete((done, failure) -> {
            if (failure == null) {
                written = Math.max(written, token);
                long least = written;
                record.readAsync().whenComplete((reading, problem) -> {
                    if (problem == null) {
                        check(least, reading.text());
                    }
                });
            }
        });
    }

    private void check(long least, @Nullable String text) {
        if (promises.isSound() && (text == null || Long.parseLong(text) < least)) {
            promises.fail("a record has the text of its latest writer", "it is " + text);
        }
    }
}
