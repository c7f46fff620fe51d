package dev.holdfast.lock.spring.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.LockStartupException;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.Set;
import java.util.stream.Stream;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.OptimisticLockStyle;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;

/** Declarations of fenced entities that cannot work fail startup and say what to write instead. */
class FencedDeclarationTest {

    record Refusal(Class<?> entity, String... parts) {
        @Override
        public String toString() {
            return entity.getSimpleName();
        }
    }

    static Stream<Refusal> refusals() {
        return Stream.of(
                new Refusal(
                        OfText.class,
                        "OfText.fence: a token needs 64 bits",
                        "cannot be java.lang.String",
                        "Declare it as Long"),
                new Refusal(Primitive.class, "cannot be long", "Declare it as Long"),
                new Refusal(Two.class, "Two has a second one, 'fence'", "Keep one"),
                new Refusal(OfStatic.class, "a static field is not stored"),
                new Refusal(OfFinal.class, "a final field cannot take the next token"),
                new Refusal(WithoutVersion.class, "it is not the version of", "Add @Version of jakarta.persistence"),
                new Refusal(Embedding.class, "Part.fence: it is in an embeddable", "Move it to the entity"),
                new Refusal(WrongKey.class, "the entity has no field '#id'", "without '#' and without dots"),
                new Refusal(
                        KeyWithoutText.class,
                        "its key 'id' is a " + PartId.class.getName() + ", which has no toString()",
                        "Give it a toString()"),
                new Refusal(Nameless.class, "it names no lock"),
                new Refusal(Placeholder.class, "placeholders are not resolved in '${lock}'"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void declarationThatCannotWorkIsRefused(Refusal refusal) {
        assertThatThrownBy(() -> start(refusal.entity()).close())
                .isInstanceOf(LockStartupException.class)
                .hasMessageContainingAll(refusal.parts());
    }

    @Test
    void versionInASuperclassIsFenced() {
        start(OfSuperclass.class).close();
    }

    @Test
    void entityWithoutATokenIsLeftAlone() {
        start(Plain.class).close();
    }

    @Test
    void hibernateChecksAVersionWhateverTheEntitySays() {
        try (SessionFactoryImplementor factory = start(Unchecked.class)) {
            assertThat(factory.getMappingMetamodel()
                            .getEntityDescriptor(Unchecked.class)
                            .optimisticLockStyle())
                    .isEqualTo(OptimisticLockStyle.VERSION);
        }
    }

    @Embeddable
    static class PartId implements Serializable {
        private static final long serialVersionUID = 1L;

        String article = "";
        int shelf;

        @Override
        public boolean equals(Object other) {
            return other instanceof PartId id && id.article.equals(article) && id.shelf == shelf;
        }

        @Override
        public int hashCode() {
            return article.hashCode();
        }
    }

    @Entity
    static class KeyWithoutText {
        @EmbeddedId
        PartId id = new PartId();

        @Version
        @FencedBy(name = "part", key = "id")
        Long fence;
    }

    @Test
    void aggregateWhoseTokenIsNotTheVersionIsRefused() {
        assertThatThrownBy(() -> check(NoVersion.class))
                .isInstanceOf(LockStartupException.class)
                .hasMessageContaining("it is not the version of")
                .hasMessageContaining("Add @Version of org.springframework.data.annotation");
    }

    @Test
    void aggregateIsAccepted() {
        check(Aggregate.class);
    }

    @Test
    void nativeImageFindsTheServiceOfHibernate() {
        RuntimeHints hints = new RuntimeHints();
        new FencingHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.reflection().onType(HibernateFencing.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource()
                        .forResource("META-INF/services/org.hibernate.integrator.spi.Integrator"))
                .accepts(hints);
    }

    private static SessionFactoryImplementor start(Class<?> entity) {
        return (SessionFactoryImplementor) new Configuration()
                .addAnnotatedClass(entity)
                .setProperty("hibernate.connection.url", "jdbc:h2:mem:" + entity.getSimpleName())
                .buildSessionFactory();
    }

    private static void check(Class<?> aggregate) {
        JdbcMappingContext mapping = new JdbcMappingContext();
        mapping.setInitialEntitySet(Set.of(aggregate));
        mapping.afterPropertiesSet();
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("mapping", mapping);
        new JdbcFencing(beans.getBeanProvider(JdbcMappingContext.class)).afterSingletonsInstantiated();
    }

    @MappedSuperclass
    static class Numbered {

        @Id
        long id;
    }

    @MappedSuperclass
    static class Base extends Numbered {
        @Version
        @FencedBy(name = "stock", key = "id")
        Long fence;
    }

    @Entity
    static class OfSuperclass extends Base {}

    @Entity
    static class Plain extends Numbered {
        @Version
        int version;
    }

    @Entity
    static class OfText extends Numbered {
        @FencedBy("stock")
        String fence;
    }

    @Entity
    static class Primitive extends Numbered {
        @Version
        @FencedBy("stock")
        long fence;
    }

    @Entity
    static class Two extends Base {

        @FencedBy("order")
        Long other;
    }

    @Entity
    static class OfStatic extends Numbered {
        @FencedBy("stock")
        static Long fence;
    }

    @Entity
    static class OfFinal extends Numbered {
        @Version
        @FencedBy("stock")
        final Long fence = null;
    }

    @Entity
    static class WithoutVersion extends Numbered {
        @FencedBy("stock")
        Long fence;
    }

    @Entity
    @OptimisticLocking(type = OptimisticLockType.NONE)
    static class Unchecked extends Base {}

    @Embeddable
    static class Part {
        int pieces;

        @FencedBy("stock")
        Long fence;
    }

    @Entity
    static class Embedding extends Numbered {
        @Embedded
        Part part;
    }

    @Entity
    static class Nameless extends Numbered {
        @Version
        @FencedBy
        Long fence;
    }

    @Entity
    static class Placeholder extends Numbered {
        @Version
        @FencedBy("${lock}")
        Long fence;
    }

    @Entity
    static class WrongKey extends Numbered {
        @Version
        @FencedBy(name = "stock", key = "#id")
        Long fence;
    }

    record NoVersion(
            @org.springframework.data.annotation.Id Long id,
            @FencedBy("stock") Long fence) {}

    record Aggregate(
            @org.springframework.data.annotation.Id Long id,

            @org.springframework.data.annotation.Version @FencedBy("stock")
            Long fence) {}
}
