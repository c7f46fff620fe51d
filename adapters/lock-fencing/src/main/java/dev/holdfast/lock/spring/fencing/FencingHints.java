package dev.holdfast.lock.spring.fencing;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Contributes the native-image hints with which Hibernate finds its service, and those for fenced connections. Spring contributes the hints for the
 * fields of entities.
 */
final class FencingHints implements RuntimeHintsRegistrar {

    private static final String SERVICE = "org.hibernate.integrator.spi.Integrator";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("META-INF/services/" + SERVICE);
        hints.resources().registerPattern(TemplateGuard.SET);
        FencedConnection.PROXIED.forEach(hints.proxies()::registerJdkProxy);
        hints.reflection()
                .registerTypeIfPresent(
                        loader,
                        SERVICE,
                        hint -> hints.reflection()
                                .registerType(HibernateFencing.class, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
    }
}
