package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.spring.LockStartupException;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/**
 * Makes the connections of data sources fenced. Each data source gets a proxy of its class, so it can be injected by its own type. Fencing begins when
 * all singletons exist and the table has been found, because migrations of the same start may create the table.
 */
final class FencedDataSources extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private final String table;
    private final transient Set<String> given;
    private final transient ObjectProvider<FenceDialect> dialect;
    private final transient Map<Object, FenceTables> tables = new ConcurrentHashMap<>();
    private transient volatile @Nullable Set<String> names;

    /**
     * Creates the post-processor.
     *
     * @param table the name of the table, with its schema if needed
     * @param given the names of the data sources; empty for the only or primary one
     */
    FencedDataSources(String table, Set<String> given, ObjectProvider<FenceDialect> dialect) {
        if (!table.matches("[\\p{L}_][\\p{L}\\p{N}_$]*(\\.[\\p{L}_][\\p{L}\\p{N}_$]*){0,2}")) {
            throw new LockStartupException(
                    "holdfast.fence-table is '" + table + "', which is not a valid name of a table.",
                    "Use letters, digits and underscores, with the schema before a dot if needed: holdfast_fence.",
                    null);
        }
        this.table = table;
        this.given = given;
        this.dialect = dialect;
        NameMatchMethodPointcut connections = new NameMatchMethodPointcut();
        connections.setMappedNames("getConnection", "unwrap");
        this.advisor = new DefaultPointcutAdvisor(connections, (MethodInterceptor) call -> {
            Object result = call.proceed();
            if (result instanceof DataSource && call.getArguments()[0] == DataSource.class) {
                return ((ProxyMethodInvocation) call).getProxy();
            }
            FenceTables fence = call.getThis() == null ? null : tables.get(call.getThis());
            return fence != null && result instanceof Connection connection
                    ? FencedConnection.around(connection, fence)
                    : result;
        });
        setProxyTargetClass(true);
    }

    @Override
    public Class<?> determineBeanType(Class<?> type, String beanName) {
        return isFenced(type, beanName) ? super.determineBeanType(type, beanName) : type;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return isFenced(bean.getClass(), beanName) ? super.postProcessAfterInitialization(bean, beanName) : bean;
    }

    private boolean isFenced(Class<?> type, String beanName) {
        return DataSource.class.isAssignableFrom(type) && names().contains(beanName);
    }

    @Override
    protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
        ProxyFactory factory = super.prepareProxyFactory(bean, beanName);
        factory.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
        return factory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : names()) {
            if (!beanFactory().containsBean(name) || !beanFactory().isTypeMatch(name, DataSource.class)) {
                throw refused("no bean of type DataSource has the name '" + name + "' of holdfast.fence-data-sources");
            }
            DataSource source = beanFactory().getBean(name, DataSource.class);
            Object target = AopProxyUtils.getSingletonTarget(source);
            if (!(target instanceof DataSource database)) {
                throw refused(
                        "the data source '" + name
                                + "' was created before its post-processors, or is no singleton, so its transactions cannot be fenced");
            }
            tables.put(target, FenceTables.find(table, name, database, dialect.getIfAvailable()));
        }
    }

    private Set<String> names() {
        Set<String> known = names;
        if (known == null) {
            known = given.isEmpty() ? Set.of(onlyOrPrimary()) : given;
            names = known;
        }
        return known;
    }

    private String onlyOrPrimary() {
        List<String> candidates = candidates().toList();
        List<String> primary = candidates.stream()
                .filter(name -> {
                    BeanDefinition known = definition(name);
                    return known != null && known.isPrimary();
                })
                .toList();
        List<String> chosen = primary.isEmpty() ? candidates : primary;
        if (chosen.size() != 1) {
            throw refused(
                    chosen.isEmpty()
                            ? "there is no bean of type DataSource"
                            : "there are several data sources, none of them primary");
        }
        return chosen.get(0);
    }

    private Stream<String> candidates() {
        return Stream.of(beanFactory().getBeanNamesForType(DataSource.class, true, false))
                .filter(name -> {
                    BeanDefinition known = definition(name);
                    return known == null
                            || (known.isAutowireCandidate()
                                    && (!(known instanceof AbstractBeanDefinition own) || own.isDefaultCandidate()));
                });
    }

    private @Nullable BeanDefinition definition(String name) {
        return beanFactory().containsBeanDefinition(name) ? beanFactory().getMergedBeanDefinition(name) : null;
    }

    private ConfigurableListableBeanFactory beanFactory() {
        if (beanFactory == null) {
            throw new IllegalStateException("The post-processor is no bean");
        }
        return beanFactory;
    }

    private LockStartupException refused(String problem) {
        List<String> known = List.of(beanFactory().getBeanNamesForType(DataSource.class, true, false));
        return new LockStartupException(
                "holdfast.fence-table is set, and " + problem + ".",
                "Set holdfast.fence-data-sources to names of these beans: " + known + ".",
                null);
    }
}
