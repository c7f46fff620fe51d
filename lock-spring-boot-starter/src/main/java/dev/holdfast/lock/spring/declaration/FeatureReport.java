package dev.holdfast.lock.spring.declaration;

import java.util.Map;

/** What a feature shows to those who operate the application. */
@FunctionalInterface
public interface FeatureReport {

    /** Returns details of the health contributor, by name. May ask Redis. */
    Map<String, Object> health();
}
