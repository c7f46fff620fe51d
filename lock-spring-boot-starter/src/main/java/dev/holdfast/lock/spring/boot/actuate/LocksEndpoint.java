package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.LockForceReleased;
import dev.holdfast.lock.spring.boot.actuate.LocksReport.LockReport;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks.DeclaredLock;
import java.security.Principal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
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
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Actuator endpoint {@code locks}. The forced release needs {@code management.endpoint.locks.access=unrestricted}. A lock's name is a query
 * parameter, since firewalls reject a path that contains {@code %}, {@code //} or {@code ;}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public record LocksEndpoint(
        LockClient client, ObjectProvider<DeclaredLocks> declared, ApplicationEventPublisher events) {

    private static final Log LOG = LogFactory.getLog(LocksEndpoint.class);

    /** The locks of this instance, or one lock as Redis has it: 503 if Redis does not answer, 400 if the name is not valid. */
    @ReadOperation
    @RegisterReflectionForBinding({LocksReport.class, LockReport.class})
    public WebEndpointResponse<Object> locks(@Nullable String name) {
        return answer(() -> name == null
                ? ofThisInstance()
                : client.inspect(name).map(LockReport::of).orElseGet(() -> LockReport.free(name)));
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
                        .map(LocksReport.Declared::of)
                        .sorted(Comparator.comparing(LocksReport.Declared::name)
                                .thenComparing(LocksReport.Declared::method))
                        .toList());
    }

    /** Finds the longest declared name with which the lock's name starts. Several names that are one lock are in brackets. */
    private static @Nullable String declaredName(String lockName, List<DeclaredLock> all) {
        return all.stream()
                .map(DeclaredLock::name)
                .filter(name -> lockName.equals(name)
                        || lockName.startsWith(name + ":")
                        || lockName.startsWith("[" + name + ":"))
                .max(Comparator.comparingInt(String::length))
                .orElse(null);
    }

    /** Releases a lock by force. The holder learns of it at its next renewal, and may work until then. 503 and 400 as above. */
    @DeleteOperation
    public WebEndpointResponse<Object> forceRelease(SecurityContext security, String name) {
        Principal principal = security.getPrincipal();
        String who = principal == null ? null : principal.getName();
        return answer(() -> Map.of("name", name, "released", release(name, who)));
    }

    /** Records who releases it: a line in the log and an application event. Returns whether the lock was held. */
    private boolean release(String lockName, @Nullable String principal) {
        LockState before = client.inspect(lockName).orElse(null);
        String lock = "'" + LogText.escape(lockName) + "'";
        String who = principal == null ? "an unauthenticated caller" : "'" + LogText.escape(principal) + "'";
        boolean released;
        try {
            released = client.forceRelease(lockName);
        } catch (LockUnavailableException e) {
            // Redis may have released it, and the holder will ask who it was.
            LOG.warn("Redis did not answer a forced release of lock " + lock + " by " + who
                    + ". The lock may be free now. It was held by " + holders(before));
            throw e;
        }
        if (released) {
            LOG.warn("Lock " + lock + " was released by force by " + who + ". It was held by " + holders(before));
            publish(new LockForceReleased(lockName, principal, before));
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

    /** The lock is free by now: a listener's failure does not fail the release. */
    private void publish(LockForceReleased event) {
        try {
            events.publishEvent(event);
        } catch (RuntimeException e) {
            LOG.warn("A listener of LockForceReleased failed", e);
        }
    }

    private static WebEndpointResponse<Object> answer(Supplier<Object> question) {
        try {
            return new WebEndpointResponse<>(question.get());
        } catch (LockUnavailableException | IllegalArgumentException e) {
            int status = e instanceof LockUnavailableException
                    ? WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE
                    : WebEndpointResponse.STATUS_BAD_REQUEST;
            return new WebEndpointResponse<>(Map.of("error", String.valueOf(e.getMessage())), status);
        }
    }
}
