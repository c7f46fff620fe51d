package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.FoundLocks;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockForceReleased;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.boot.actuate.LocksReport.LockReport;
import dev.holdfast.lock.spring.call.Announcement;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The actuator endpoint {@code locks}. A forced release needs {@code management.endpoint.locks.access=unrestricted}. The lock's name is a query
 * parameter, because firewalls reject a path that contains {@code %}, {@code //} or {@code ;}. {@link EndpointErrors} answers what fails.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
record LocksEndpoint(LockClient client, ObjectProvider<DeclaredLocks> declared, ApplicationEventPublisher events) {

    private static final Log LOG = LogFactory.getLog(LocksEndpoint.class);

    /**
     * Returns the locks of this instance; or, if a name is given, that lock's state in Redis; or the locks of all instances.
     *
     * @param fleet a pattern of the names of all instances' locks; empty or {@code true} for all names under the key prefix
     */
    @ReadOperation
    @RegisterReflectionForBinding({
        LocksReport.class,
        OnBusy.class,
        OnUnavailable.class,
        OnLost.class,
        LockReport.class,
        FoundLocksReport.class
    })
    public Object locks(@Nullable String name, @Nullable String fleet) {
        if (fleet != null) {
            return FoundLocksReport.of(found(fleet));
        }
        return name == null
                ? ofThisInstance()
                : client.inspect(name).map(LockReport::of).orElseGet(() -> LockReport.free(name));
    }

    private FoundLocks found(String pattern) {
        if (!pattern.isEmpty() && !pattern.equals("true")) {
            return client.findLocks(pattern);
        }
        try {
            return client.findLocks();
        } catch (IllegalStateException noKeyPrefix) {
            throw new IllegalArgumentException(noKeyPrefix.getMessage(), noKeyPrefix);
        }
    }

    private LocksReport ofThisInstance() {
        List<DeclaredLock> all =
                declared.stream().flatMap(known -> known.all().stream()).toList();
        return new LocksReport(
                client.heldLocks().stream()
                        .map(lock -> LocksReport.Held.of(lock, declaredName(lock.lockName(), all)))
                        .sorted(Comparator.comparing(LocksReport.Held::since))
                        .toList(),
                client.waitingLocks().stream()
                        .map(lock -> LocksReport.Waiting.of(lock, declaredName(lock.lockName(), all)))
                        .toList(),
                all.stream()
                        .sorted(Comparator.comparing(DeclaredLock::name).thenComparing(LocksReport::method))
                        .map(LocksReport::declared)
                        .toList());
    }

    /** Finds the longest declared name with which the lock's name starts. A lock with several names has them in brackets. */
    private static @Nullable String declaredName(String lockName, List<DeclaredLock> all) {
        return all.stream()
                .map(DeclaredLock::name)
                .filter(name -> lockName.equals(name)
                        || lockName.startsWith(name + ":")
                        || lockName.startsWith("[" + name + ":"))
                .max(Comparator.comparingInt(String::length))
                .orElse(null);
    }

    /** Releases a lock by force. The holder notices this at its next renewal, and may work until then. */
    @DeleteOperation
    public Map<String, Object> forceRelease(SecurityContext security, String name) {
        return Map.of("name", name, "released", release(name, EndpointErrors.caller(security)));
    }

    /** Releases a lock by force. A log line and an application event record who released it. Returns whether the lock was held. */
    private boolean release(String lockName, @Nullable String by) {
        LockState before = client.inspect(lockName).orElse(null);
        String lock = "'" + LogText.escape(lockName) + "'";
        String who = by == null ? "an unauthenticated caller" : "'" + LogText.escape(by) + "'";
        boolean released;
        try {
            released = client.forceRelease(lockName);
        } catch (LockUnavailableException e) {
            if (e.isTransient()) {
                // Redis may have released the lock, and its holder will ask who did it.
                LOG.warn("Redis did not reply to a forced release of lock " + lock + " by " + who
                        + ". The lock might be free now. It was held by " + holders(before));
            } else {
                LOG.warn("Redis refused to release by force what " + who + " named: " + e.getMessage());
            }
            throw e;
        }
        if (released) {
            LOG.warn("Lock " + lock + " was released by force by " + who + ". It was held by " + holders(before));
            Announcement.publish(events, new LockForceReleased(lockName, by, before), LOG);
        } else {
            LOG.info("Lock " + lock + " was already free when " + who + " wanted to release it by force");
        }
        return released;
    }

    private static String holders(@Nullable LockState state) {
        return state == null
                ? "an unknown holder"
                : state.holders().stream()
                        .map(holder -> "'" + LogText.escape(holder.owner()) + "'"
                                + (holder.clientName() == null ? "" : " (" + LogText.escape(holder.clientName()) + ")"))
                        .collect(Collectors.joining(", "));
    }
}
