package dev.holdfast.lock.spring.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FeatureSettingsTest {

    private static final Other OTHER = new Other(0);

    private record Toy(@Nullable Integer number) implements FeatureSettings.Properties {}

    private record Other(@Nullable Integer number) implements FeatureSettings.Properties {}

    @Test
    void lockOverridesTheAnnotation() {
        assertThat(find(List.of(OTHER, new Toy(null), new Toy(1), new Toy(4)), 2, 3))
                .isEqualTo(1);
    }

    @Test
    void annotationOverridesAllLocks() {
        assertThat(find(List.of(OTHER, new Toy(null)), 2, 3)).isEqualTo(2);
    }

    @Test
    void allLocksDecideWhereNothingElseDoes() {
        assertThat(find(List.of(), null, 3)).isEqualTo(3);
    }

    @Test
    void nothingSaidIsNull() {
        assertThat(find(List.of(OTHER), null, null)).isNull();
    }

    private static @Nullable Integer find(List<?> ofLock, @Nullable Integer declared, @Nullable Integer ofAll) {
        return new FeatureSettings(ofLock, List.of(OTHER, new Toy(ofAll))).find(Toy.class, Toy::number, declared);
    }
}
