package dev.holdfast.lock.chaos;

import java.util.List;

/**
 * The history of one run.
 *
 * @param attempts in any order
 * @param writes in the order in which the registers decided
 * @param outages the faults, in any order
 * @param stalls times in which a worker's process did not run although no fault stopped it; the name has no meaning
 */
record History(List<Attempt> attempts, List<Write> writes, List<Outage> outages, List<Outage> stalls) {}
