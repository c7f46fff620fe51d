package dev.holdfast.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads a history and reports which rules were broken. Each check sorts the history by time and examines it once. */
public final class Checker {

    private Checker() {}

    /**
     * Checks a history against all rules.
     *
     * @param workers the number of worker processes
     */
    public static Findings check(History history, Terms terms, int workers) {
        Findings findings = new Findings();
        List<Attempt> grants =
                history.attempts().stream().filter(Attempt::isGranted).toList();
        List<Attempt> byAnswer = grants.stream()
                .sorted(Comparator.comparingLong(grant -> grant.answeredAt))
                .toList();
        List<Attempt> byRequest = grants.stream()
                .sorted(Comparator.comparingLong(grant -> grant.askedAt))
                .toList();
        new TokenCheck(terms.tokenSlackNanos(), findings).check(byAnswer, byRequest);
        new WriteCheck(terms.tokenSlackNanos(), findings).check(history.writes());
        new HolderCheck(pair -> findings.broken(Rule.ONE_HOLDER, pair.toString())).check(byAnswer);
        Quiet quiet = new Quiet(quietTimes(history), workers);
        if (terms.reportsLosses()) {
            new LossCheck(terms, quiet, findings).check(grants);
        }
        Starts starts = new Starts(history.attempts());
        new WaitCheck(terms.waitBoundNanos(), quiet, history.outages(), findings).check(history.attempts(), starts);
        new LivenessCheck(history, starts, terms, workers, findings).check();
        return findings;
    }

    /**
     * Returns the times in which a process was stopped or did not run. In such a time, a process can neither report a loss nor return from a call.
     */
    private static List<Outage> quietTimes(History history) {
        List<Outage> times = new ArrayList<>(history.stalls());
        history.outages().stream()
                .filter(outage -> outage.fault().equals(Outage.STOPPED))
                .forEach(times::add);
        return times;
    }
}
