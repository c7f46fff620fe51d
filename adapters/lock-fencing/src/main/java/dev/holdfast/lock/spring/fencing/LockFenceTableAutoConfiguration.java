package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.LockStartupException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Auto-configuration for the fence table: {@code holdfast.fence-table}. */
@AutoConfiguration
public final class LockFenceTableAutoConfiguration {

    private static final String TABLE = "holdfast.fence-table";
    private static final String DATA_SOURCES = "holdfast.fence-data-sources";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FencedLocks holdfastFencedLocks(Environment environment) {
        boolean hasTable = environment.containsProperty(TABLE);
        Set<String> sources = dataSources(environment);
        if (!hasTable && !sources.isEmpty()) {
            throw new LockStartupException(
                    DATA_SOURCES + " is " + sources + ", but " + TABLE + " is not set, so nothing is fenced.",
                    "Set " + TABLE + " to the name of the table in these data sources, or leave " + DATA_SOURCES
                            + " out.",
                    null);
        }
        return new FencedLocks(hasTable);
    }

    private static Set<String> dataSources(Environment environment) {
        return Binder.get(environment)
                .bind(DATA_SOURCES, Bindable.setOf(String.class))
                .orElse(Set.of());
    }

    @Bean
    @ConditionalOnProperty(TABLE)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FencedDataSources holdfastFencedDataSources(Environment environment, ObjectProvider<FenceDialect> dialect) {
        String table = environment.getRequiredProperty(TABLE);
        return new FencedDataSources(table.strip(), dataSources(environment), dialect);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(TABLE)
    @ConditionalOnClass(DataSourcePoolMetadataProvider.class)
    static class PoolMetadata {

        /** Lets Spring Boot's metrics see the pool behind a fenced data source: they read its fields, and those of a proxy are empty. */
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        static DataSourcePoolMetadataProvider holdfastFencedPoolMetadata(
                ObjectProvider<DataSourcePoolMetadataProvider> providers) {
            return new DataSourcePoolMetadataProvider() {
                @Override
                public @Nullable DataSourcePoolMetadata getDataSourcePoolMetadata(DataSource source) {
                    List<DataSourcePoolMetadataProvider> others = providers
                            .orderedStream()
                            .filter(each -> each != this)
                            .toList();
                    return AopProxyUtils.getSingletonTarget(source) instanceof DataSource pool
                            ? new CompositeDataSourcePoolMetadataProvider(others).getDataSourcePoolMetadata(pool)
                            : null;
                }
            };
        }
    }
}
