package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.interceptor.DeclaredLocks.DeclaredLock;
import java.security.Principal;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Actuator endpoint {@code locks}: the locks of this instance, one lock in Redis, and the forced release, which needs
 * {@code management.endpoint.locks.access=unrestricted}.
 *
 * <p>A lock's name is a query parameter, since firewalls reject a path that contains {@code %}, {@code //} or {@code ;}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    private final LockClient client;
    private final Supplier<Collection<DeclaredLock>> declared;
    private final ForceReleases releases;

    /**
     * Creates the endpoint.
     *
     * @param client the lock client
     * @param declared supplies the locks that annotations declare
     * @param events receives an event for each forced release
     */
    public LocksEndpoint(
            LockClient client, Supplier<Collection<DeclaredLock>> declared, ApplicationEventPublisher events) {
        this.client = client;
        this.declared = declared;
        this.releases = new ForceReleases(client, events);
    }

    /**
     * The locks of this instance, or one lock as Redis has it. Only the latter sends commands to Redis.
     *
     * @param name the name of one lock without the key prefix
     * @return the locks; 503 if Redis does not answer, 400 if the name is not valid
     */
    @ReadOperation
    @RegisterReflectionForBinding({LocksReport.class, LockReport.class})
    public WebEndpointResponse<Object> locks(@Nullable String name) {
        return answer(() -> name == null
                ? ofThisInstance()
                : client.inspect(name).map(LockReport::of).orElseGet(() -> LockReport.free(name)));
    }

    private LocksReport ofThisInstance() {
        Collection<DeclaredLock> all = declared.get();
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
    private static @Nullable String declaredName(String lockName, Collection<DeclaredLock> all) {
        return all.stream()
                .map(DeclaredLock::name)
                .filter(name -> lockName.equals(name)
                        || lockName.startsWith(name + ":")
                        || lockName.startsWith("[" + name + ":"))
                .max(Comparator.comparingInt(String::length))
                .orElse(null);
    }

    /**
     * Releases a lock by force. The holder learns of it at its next renewal, and may continue to work until then.
     *
     * @param security the caller
     * @param name the name of the lock without the key prefix
     * @return whether the lock was held; 503 if Redis does not answer, 400 if the name is not valid
     */
    @DeleteOperation
    public WebEndpointResponse<Object> forceRelease(SecurityContext security, String name) {
        Principal principal = security.getPrincipal();
        String who = principal == null ? null : principal.getName();
        return answer(() -> Map.of("name", name, "released", releases.release(name, who)));
    }

    private static WebEndpointResponse<Object> answer(Supplier<Object> question) {
        try {
            return new WebEndpointResponse<>(question.get());
        } catch (LockUnavailableException e) {
            return problem(e, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        } catch (IllegalArgumentException e) {
            return problem(e, WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }

    private static WebEndpointResponse<Object> problem(RuntimeException problem, int status) {
        return new WebEndpointResponse<>(Map.of("error", String.valueOf(problem.getMessage())), status);
    }
}
