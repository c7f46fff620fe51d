package dev.holdfast.lock;

import java.util.List;
import java.util.Map;

/**
 * The result of a check of Redis or Valkey.
 *
 * @param product what the server is: {@code Redis} or {@code Valkey}
 * @param serverVersion the server's own version, as it gives it
 * @param topology how the server runs: {@code standalone} or {@code cluster}
 * @param findings what is wrong or risky, worst first; empty when all is well
 * @param scripts the scripts that this version sends: the SHA-1 digest of each by its name. {@code MONITOR} and {@code SLOWLOG} show the digest
 */
public record SelfCheck(
        String product, String serverVersion, String topology, List<Finding> findings, Map<String, String> scripts) {

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
     * @param severity how bad
     * @param message what it is, and how to fix it
     */
    public record Finding(Severity severity, String message) {}

    /** Whether locks can work: no finding is an error. */
    public boolean isUsable() {
        return findings.stream().noneMatch(finding -> finding.severity() == Severity.ERROR);
    }
}
