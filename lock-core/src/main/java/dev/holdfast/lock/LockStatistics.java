package dev.holdfast.lock;

import java.time.Duration;

/**
 * A client's counters and current state. The counters only grow, from the client's start. They are read one after another while work goes on, so
 * they need not add up exactly.
 *
 * @param acquired leases acquired, including those handed over
 * @param busy waits and tries that ended with the lock still busy
 * @param unavailable waits and tries that ended because Redis did not answer
 * @param lost leases that ended before they were released
 * @param handOvers leases that another holder of this client handed over
 * @param wakeUpsBySignal times that a waiting client asked again because a release was announced
 * @param wakeUpsByPoll times that a waiting client asked again because the holder's lease or the poll interval was over
 * @param takeBacks acquisitions without an answer that were taken back
 * @param renewals renewals that Redis confirmed
 * @param renewalFailures renewals that failed, repeated tries included
 * @param held leases held now
 * @param waiting callers waiting now
 * @param renewalLag how late the renewal of the most overdue renewed lease is; zero in good order
 */
public record LockStatistics(
        long acquired,
        long busy,
        long unavailable,
        long lost,
        long handOvers,
        long wakeUpsBySignal,
        long wakeUpsByPoll,
        long takeBacks,
        long renewals,
        long renewalFailures,
        int held,
        int waiting,
        Duration renewalLag) {}
