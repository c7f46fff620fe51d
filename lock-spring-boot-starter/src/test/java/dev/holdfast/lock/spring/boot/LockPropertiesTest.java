package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.declaration.LockSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** From lines of a configuration to settings of a lock. */
class LockPropertiesTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    @Test
    void nothingSaidIsNothingSet() {
        assertThat(settings().defaults()).isEqualTo(LockSettings.NONE);
        assertThat(settings().named("report")).isEqualTo(LockSettings.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "locks.report."})
    void settingsAreThoseOfAllLocksOrOfOne(String prefix) {
        configure(
                prefix + "wait-time=1s",
                prefix + "lease-time=2s",
                prefix + "min-hold=3s",
                prefix + "max-hold=4s",
                prefix + "on-busy=skip",
                prefix + "on-unavailable=proceed",
                prefix + "on-lost=interrupt");
        assertThat(prefix.isEmpty() ? settings().defaults() : settings().named("report"))
                .isEqualTo(new LockSettings(
                        null,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(4),
                        OnBusy.SKIP,
                        OnUnavailable.PROCEED,
                        OnLost.INTERRUPT,
                        null));
    }

    @Test
    void environmentVariableWinsOverTheFileAndLeavesTheRest() {
        configure("locks.nightly-report.bypass=false", "locks.nightly-report.wait-time=5s");
        environment("HOLDFAST_LOCKS_NIGHTLYREPORT_BYPASS", "true");
        assertThat(settings().named("nightly-report"))
                .extracting(LockSettings::bypass, LockSettings::waitTime)
                .containsExactly(true, Duration.ofSeconds(5));
    }

    @Test
    void exactNameWinsOverOneThatIsOnlyAlike() {
        configure("locks.order-pay.wait-time=1s", "locks.orderpay.wait-time=2s");
        assertThat(settings().named("orderpay").waitTime()).hasSeconds(2);
        assertThat(settings().named("order-pay").waitTime()).hasSeconds(1);
    }

    private void configure(String... pairs) {
        Map<String, Object> file = new LinkedHashMap<>();
        for (String pair : pairs) {
            file.put("holdfast." + pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        // Behind the environment, as a file is.
        environment.getPropertySources().addLast(new MapPropertySource("file", file));
    }

    private void environment(String name, String value) {
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, value)));
    }

    private LockProperties settings() {
        return Binder.get(environment, new StrictBinding(BindHandler.DEFAULT))
                .bindOrCreate(LockProperties.PREFIX, Bindable.of(LockProperties.class));
    }
}
