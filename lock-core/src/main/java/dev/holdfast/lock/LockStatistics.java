package dev.holdfast.lock;

import java.time.Duration;

/**
 * What a client has done and has to do, in numbers. The counts only grow, from the client's start; the rest is as of now. Read one after the
 * other while work goes on, so they need not add up to the last one.
 *
 * @param acquired leases acquired, those taken over included
 * @param busy waits and tries that ended with the lock still busy
 * @param unavailable waits and tries that ended because Redis could not be asked
 * @param lost leases that ended before they were released
 * @param handOffs leases that another holder of this client passed on
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
        long handOffs,
        long wakeUpsBySignal,
        long wakeUpsByPoll,
        long takeBacks,
        long renewals,
        long renewalFailures,
        int held,
        int waiting,
        Duration renewalLag) {}
