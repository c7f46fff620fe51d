package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The jobs of which records say what happened are null if there is no board that shows it. */
record Jobs(@Nullable KnownJobs known, UnwrittenEnds ends) implements LockFeature {
    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        return JobOperation.of(operation, known, ends);
    }

    @Override
    public Set<String> attributes() {
        return Set.of("@OncePerTick", "@RunOnce", "tick", "onFailure", "per");
    }
}
