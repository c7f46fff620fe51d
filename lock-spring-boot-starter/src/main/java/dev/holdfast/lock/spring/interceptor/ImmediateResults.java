package dev.holdfast.lock.spring.interceptor;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Results that are complete when the method returns. The call holds its locks until then. */
final class ImmediateResults extends BlockingResults {

    private final Class<?> type;
    private final Supplier<@Nullable Object> skipped;

    ImmediateResults(Class<?> type) {
        this.type = type;
        this.skipped = EmptyResults.of(type);
    }

    @Override
    public @Nullable Object skipped() {
        return skipped.get();
    }

    @Override
    public boolean canSkip() {
        return EmptyResults.has(type);
    }

    @Override
    public boolean staysOnThread() {
        return true;
    }
}
