package dev.holdfast.lock.spring.runnow;

import dev.holdfast.lock.spring.call.AroundOperation;
import dev.holdfast.lock.spring.call.LockFeature;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.schedule.FiredTask;
import org.jspecify.annotations.Nullable;

/** Lets a call that somebody has asked for say what became of it. */
final class RunNow implements LockFeature {
    @Override
    public @Nullable AroundOperation of(LockOperation operation) {
        return Declaration.isScheduled(operation.method())
                ? call -> FiredTask.purpose(operation.method()) instanceof RequestedRun run ? run.around(call) : null
                : null;
    }
}
