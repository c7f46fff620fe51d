package dev.holdfast.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replays the decisions of the registers. Checks that no stale write was accepted, and that no write was refused because of a grant that was answered
 * before the writer requested its lock. Examines the writes once.
 */
final class WriteCheck {

    private final long slackNanos;
    private final Findings findings;

    WriteCheck(long slackNanos, Findings findings) {
        this.slackNanos = slackNanos;
        this.findings = findings;
    }

    void check(List<Write> writes) {
        Map<String, Write> greatest = new HashMap<>();
        for (Write write : writes) {
            Write before = greatest.get(write.lock());
            if (before == null || write.token() > before.token()) {
                if (write.accepted()) {
                    greatest.put(write.lock(), write);
                } else {
                    findings.broken(
                            Rule.RIGHTFUL_REFUSED, write.lock() + ": " + write.by() + " had the greatest token");
                }
            } else if (write.token() < before.token()) {
                check(write, before);
            }
        }
    }

    private void check(Write write, Write before) {
        if (write.accepted()) {
            findings.broken(Rule.STALE_ACCEPTED, write.lock() + ": " + write.by() + " after token " + before.token());
        } else if (write.by().askedAt > before.by().answeredAt + slackNanos) {
            findings.broken(Rule.RIGHTFUL_REFUSED, write.lock() + ": " + write.by() + " asked after " + before.by());
        }
    }
}
