package dev.holdfast.lock;

import java.time.Duration;

/**
 * A client's counters and current state. The counters start with the client and only grow. They are read one after another while the client works, so
 * they need not add up exactly.
 *
 * @param acquired leases acquired, including those handed over
 * @param busy waits and tries that ended while the lock was busy
 * @param unavailable waits and tries that ended because Redis did not answer
 * @param notYetGranted waits and tries that ended while Redis granted nothing because it may have lost locks
 * @param lost leases that ended before they were released
 * @param handOvers leases that another holder of this client handed over
 * @param wakeUpsBySignal requests that were repeated because a release was announced
 * @param wakeUpsByPoll requests that were repeated because the holder's lease or the poll interval had ended
 * @param takeBacks unanswered acquisitions that were taken back
 * @param renewals renewals that Redis confirmed
 * @param renewalFailures renewals that failed, repetitions included
 * @param held leases held now
 * @param waiting callers waiting now
 * @param renewalLag how late the most overdue renewal is; zero if no renewal is late
 * @param checkErrors errors that the latest {@linkplain LockClient#selfCheck() self-check} found; zero before the first one
 * @param checkWarnings warnings of the latest self-check; zero before the first one
 */
public record LockStatistics(
        long acquired,
        long busy,
        long unavailable,
        long notYetGranted,
        long lost,
        long handOvers,
        long wakeUpsBySignal,
        long wakeUpsByPoll,
        long takeBacks,
        long renewals,
        long renewalFailures,
        int held,
        int waiting,
        Duration renewalLag,
        int checkErrors,
        int checkWarnings) {}
