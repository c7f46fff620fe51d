package dev.holdfast.lock.spring.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.javapoet.ClassName;

/** A native image can only call what the hints name: every type that a key's expression may reach. */
class KeyHintsAotProcessorTest {

    private final RuntimeHints hints = hintsFor(Orders.class);

    @ParameterizedTest
    @ValueSource(
            classes = {
                Order.class,
                Line.class,
                Price.class,
                Kind.class,
                Card.class,
                Transfer.class,
                Bank.class,
                UUID.class,
                Long.class
            })
    void everyTypeThatAKeyReachesIsHinted(Class<?> type) {
        assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints);
    }

    @org.junit.jupiter.api.Test
    void accessorsOfRecordsCanBeCalled() throws NoSuchMethodException {
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Bank.class.getMethod("code")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(UUID.class.getMethod("version")))
                .accepts(hints);
    }

    private static RuntimeHints hintsFor(Class<?> bean) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new RootBeanDefinition(bean));
        RuntimeHints hints = new RuntimeHints();
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("test", "Main")), new InMemoryGeneratedFiles(), hints);
        new KeyHintsAotProcessor()
                .processAheadOfTime(RegisteredBean.of(beans, "bean"))
                .applyTo(generation, null);
        return hints;
    }

    record Order(UUID id, Optional<Long> customer, List<? extends Line> lines, Payment payment) {}

    record Line(Map<String, Price[]> prices, Kind kind) {}

    record Price(long cents) {}

    enum Kind {
        GOODS,
        SERVICE
    }

    sealed interface Payment permits Card, Transfer {}

    record Card(String number) implements Payment {}

    record Transfer(Bank bank) implements Payment {}

    record Bank(String code) {}

    static class Orders {
        @DistributedLock(name = "order", key = "#order.payment.bank.code")
        public void pay(Order order) {}
    }
}
