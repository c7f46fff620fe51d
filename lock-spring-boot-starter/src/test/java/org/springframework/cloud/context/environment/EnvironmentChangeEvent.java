package org.springframework.cloud.context.environment;

import java.util.Set;
import org.springframework.context.ApplicationEvent;

/** The event of Spring Cloud, which the starter knows by its name. Spring Cloud itself would change every application of these tests. */
public class EnvironmentChangeEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    public EnvironmentChangeEvent(Set<String> keys) {
        super(keys);
    }
}
