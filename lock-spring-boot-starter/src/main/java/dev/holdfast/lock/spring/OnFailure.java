package dev.holdfast.lock.spring;

/** What a run that failed means for the other instances, where a method runs only once: for each tick, or for each deployment. */
public enum OnFailure {

    /**
     * Nobody runs it again: the run counts from the moment at which it begins, also if its process dies. So it happens at most once. A tick that
     * failed is skipped, until the next one. Retries of the failed call, such as those of Spring's {@code @Retryable}, belong to the run.
     */
    STOP,

    /**
     * Another instance runs it again, if one waits for the lock or calls the method later: the run counts only when it has succeeded. So it happens
     * at least once, and the method must bear to be repeated. A run fails if it throws, if its process dies, if its lease is lost before it has
     * ended, or if the transaction around it is rolled back.
     */
    RETRY
}
