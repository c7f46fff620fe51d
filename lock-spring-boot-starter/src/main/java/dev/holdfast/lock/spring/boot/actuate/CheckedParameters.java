package dev.holdfast.lock.spring.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Responds with 400 and their names if parameters of a request for the locks are unknown or missing. Spring Boot ignores an unknown one, so a request
 * with a typing error would return all locks, and does not name a missing one.
 */
record CheckedParameters(EndpointId id) implements OperationInvokerAdvisor {

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        return endpoint.equals(id)
                ? context -> {
                    String problem = problem(context, parameters.stream().toList());
                    return problem == null
                            ? invoker.invoke(context)
                            : new WebEndpointResponse<>(
                                    Map.of("error", problem), WebEndpointResponse.STATUS_BAD_REQUEST);
                }
                : invoker;
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
