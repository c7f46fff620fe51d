package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a feature shows to those who operate the application. */
public interface FeatureReport {

    /** Returns what the endpoint shows of each declared lock, by name. Called once for each report. */
    Function<DeclaredLock, Map<String, @Nullable Object>> ofLocks();

    /** Returns details of the health contributor, by name. May ask Redis. */
    default Map<String, Object> health() {
        return Map.of();
    }
}
