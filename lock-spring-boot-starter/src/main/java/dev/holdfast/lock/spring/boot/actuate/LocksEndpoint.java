package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.interceptor.DeclaredLock;
import java.security.Principal;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Actuator endpoint {@code locks}: what this instance holds and waits for, what anybody holds in Redis, and a way to take a lock away. Only
 * reads unless {@code management.endpoint.locks.access} is {@code unrestricted}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    private final LockClient client;
    private final Supplier<Collection<DeclaredLock>> declared;
    private final ForceReleases releases;

    /**
     * Creates the endpoint.
     *
     * @param client holds the locks
     * @param declared what annotations declare
     * @param events told of forced releases
     */
    public LocksEndpoint(
            LockClient client, Supplier<Collection<DeclaredLock>> declared, ApplicationEventPublisher events) {
        this.client = client;
        this.declared = declared;
        this.releases = new ForceReleases(client, events);
    }

    /**
     * The locks of this instance. Does not ask Redis.
     *
     * @return a snapshot
     */
    @ReadOperation
    public LocksReport locks() {
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

    /** The longest declared name that the lock's name is, or begins with. Several names that are one lock stand in brackets and begin alike. */
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
     * One lock as Redis shows it.
     *
     * @param name the lock's name without the client's prefix; slashes and colons may be in it
     * @return the lock; 503 if Redis did not answer, 400 if no lock can have that name
     */
    @ReadOperation
    public WebEndpointResponse<Object> lock(@Selector(match = Match.ALL_REMAINING) String[] name) {
        String lockName = String.join("/", name);
        return answer(() -> client.inspect(lockName).map(LockReport::of).orElseGet(() -> LockReport.free(lockName)));
    }

    /**
     * Takes a lock away from its holder, who is told at the next renewal at the latest and may go on working until then.
     *
     * @param security who asks
     * @param name the lock's name without the client's prefix; slashes and colons may be in it
     * @return whether anybody held it; 503 if Redis did not answer, 400 if no lock can have that name
     */
    @DeleteOperation
    public WebEndpointResponse<Object> forceRelease(
            SecurityContext security, @Selector(match = Match.ALL_REMAINING) String[] name) {
        String lockName = String.join("/", name);
        Principal principal = security.getPrincipal();
        String who = principal == null ? null : principal.getName();
        return answer(() -> Map.of("name", lockName, "released", releases.release(lockName, who)));
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
