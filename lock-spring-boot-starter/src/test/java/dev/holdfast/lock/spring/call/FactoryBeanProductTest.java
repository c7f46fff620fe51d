package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.fixture.Locked;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Products of factory beans, as mappers are. Every method returns the lock under which it ran. */
class FactoryBeanProductTest {

    @Test
    void methodOfAProxyIsLockedAndItsKeySeesTheInterfacesParameters() {
        try (Locked app = Locked.application(MapperFactory.class)) {
            assertThat(app.bean(Mapper.class).update("7")).isEqualTo("update:7");
            assertThat(app.context().getBean(DeclaredLocks.class).names()).containsExactly("update");
        }
    }

    @Test
    void everyProductOfAPrototypeIsLocked() {
        try (Locked app = Locked.application(PrototypeFactory.class)) {
            assertThat(app.bean(Mapper.class).update("7")).isEqualTo("update:7");
            assertThat(app.bean(Mapper.class)).isNotSameAs(app.bean(Mapper.class));
        }
    }

    @Test
    void factoryBeanWithALockedMethodOfItsOwnIsLocked() {
        try (Locked app = Locked.application(LockedFactory.class)) {
            assertThat(app.bean(Refreshing.class).refresh()).isEqualTo("refresh");
        }
    }

    @Test
    void lambdaOfAnInterfaceIsLockedAndItsKeySeesTheInterfacesParameters() {
        try (Locked app = Locked.application(LambdaMapper.class)) {
            assertThat(app.bean(Mapper.class).update("7")).isEqualTo("update:7");
        }
    }

    @Test
    void productThatWasCreatedBeforeTheProxyCreatorIsRefused() {
        assertRefused(EarlyProduct.class, "the bean 'mapper' has no proxy");
    }

    interface Mapper {

        @DistributedLock(name = "update", key = "#id")
        String update(String id);
    }

    /** As MyBatis makes them. */
    static class MapperFactory implements FactoryBean<Mapper> {

        @Override
        public Mapper getObject() {
            return (Mapper) Proxy.newProxyInstance(
                    Mapper.class.getClassLoader(), new Class<?>[] {Mapper.class}, (proxy, method, arguments) -> lock());
        }

        @Override
        public Class<?> getObjectType() {
            return Mapper.class;
        }
    }

    static class PrototypeFactory extends MapperFactory {

        @Override
        public boolean isSingleton() {
            return false;
        }
    }

    interface Refreshing {

        String refresh();
    }

    static class LockedFactory extends MapperFactory implements Refreshing {

        @Override
        @DistributedLock(name = "refresh")
        public String refresh() {
            return lock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LambdaMapper {

        @Bean
        Mapper mapper() {
            return id -> lock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyProduct {

        @Bean
        static MapperFactory mapper() {
            return new MapperFactory();
        }

        @Bean
        static BeanFactoryPostProcessor early() {
            return beans -> beans.getBean(Mapper.class);
        }
    }
}
