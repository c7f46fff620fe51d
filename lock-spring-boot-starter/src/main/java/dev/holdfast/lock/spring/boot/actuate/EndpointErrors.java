package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockException;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Responds with an error and its reason: 503 if Redis does not answer, and 400 if a request is wrong. Spring Boot ignores unknown parameters, so a
 * request with a typing error would return all locks, and it does not name a missing one.
 */
final class EndpointErrors implements OperationInvokerAdvisor {

    private static final Set<EndpointId> OURS = Set.of(EndpointId.of("jobs"), EndpointId.of("locks"));

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        return OURS.contains(endpoint)
                ? context -> {
                    String problem = problem(context, parameters.stream().toList());
                    return problem == null
                            ? answer(context, invoker)
                            : response(WebEndpointResponse.STATUS_BAD_REQUEST, problem);
                }
                : invoker;
    }

    private static @Nullable Object answer(InvocationContext context, OperationInvoker invoker) {
        try {
            return invoker.invoke(context);
        } catch (LockException e) {
            return response(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e.getMessage());
        } catch (IllegalArgumentException e) {
            return response(WebEndpointResponse.STATUS_BAD_REQUEST, e.getMessage());
        }
    }

    static WebEndpointResponse<Object> response(int status, @Nullable String reason) {
        return new WebEndpointResponse<>(Map.of("error", String.valueOf(reason)), status);
    }

    /** Returns the name of who asks; null if that is unknown. */
    static @Nullable String caller(SecurityContext security) {
        Principal principal = security.getPrincipal();
        return principal == null ? null : principal.getName();
    }

    private static @Nullable String problem(InvocationContext context, List<OperationParameter> parameters) {
        List<OperationParameter> given = parameters.stream()
                .filter(parameter -> !context.canResolve(parameter.getType()))
                .toList();
        Set<String> known = given.stream().map(OperationParameter::getName).collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>(context.getArguments().keySet());
        unknown.removeAll(known);
        // Such as Spring Security's _csrf.
        unknown.removeIf(name -> name.startsWith("_"));
        if (!unknown.isEmpty()) {
            return "Unknown: " + quoted(unknown) + ". Known: " + quoted(new TreeSet<>(known));
        }
        Set<String> missing = given.stream()
                .filter(parameter ->
                        parameter.isMandatory() && context.getArguments().get(parameter.getName()) == null)
                .map(OperationParameter::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        return missing.isEmpty() ? null : "Missing: " + quoted(missing);
    }

    private static String quoted(Set<String> names) {
        return names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
    }
}
