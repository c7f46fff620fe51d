package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/**
 * An application event on the instance that was asked: the run of a job was asked to stop. It may be one of another instance.
 *
 * @param lockName the job's lock
 * @param by who asked; null if that is unknown
 */
public record JobStopRequested(String lockName, @Nullable String by) {}
