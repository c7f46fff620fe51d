package dev.holdfast.lock;

import java.util.List;
import java.util.Map;

/**
 * The result of a check of Redis or Valkey.
 *
 * @param product the server product: {@code Redis} or {@code Valkey}
 * @param serverVersion the product's version, as the server reports it
 * @param topology how the server runs: {@code standalone} or {@code cluster}
 * @param replicationId what the server calls the history of its data ({@code master_replid}): another text after each start and each promotion, so that
 *     a change tells of another server. Empty in a cluster, which has several, or if {@code INFO} is refused
 * @param findings the problems and risks, worst first; empty if there are none
 * @param scripts the SHA-1 digest of each script that this version sends, by the script's name. {@code MONITOR} and {@code SLOWLOG} show only digests
 */
public record SelfCheck(
        String product,
        String serverVersion,
        String topology,
        String replicationId,
        List<Finding> findings,
        Map<String, String> scripts) {

    /** The severity of a finding. */
    public enum Severity {
        /** Locks cannot work. */
        ERROR,
        /** Locks work, but a guarantee is weaker than it should be. */
        WARNING
    }

    /**
     * A problem that the check found.
     *
     * @param severity the severity
     * @param message a description of the problem and of its fix
     */
    public record Finding(Severity severity, String message) {}

    /** Returns whether locks can work, because no finding is an error. */
    public boolean isUsable() {
        return findings.stream().noneMatch(finding -> finding.severity() == Severity.ERROR);
    }
}
