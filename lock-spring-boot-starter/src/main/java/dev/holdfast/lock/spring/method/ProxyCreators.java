package dev.holdfast.lock.spring.method;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetSource;
import org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator;
import org.springframework.aop.aspectj.autoproxy.AspectJAwareAdvisorAutoProxyCreator;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.util.ClassUtils;

/**
 * Spring's own proxy creators, for objects of generated classes too: all that looks at the bean sees the class that the application wrote, and the
 * advice ends with the body of the method.
 */
public final class ProxyCreators {

    private static final String SPRING = "org.springframework.aop.";

    /** The creators by the names of Spring's, as those for AspectJ cannot be loaded without its library. */
    private static final Map<String, String> CREATORS = Map.of(
            SPRING + "framework.autoproxy.InfrastructureAdvisorAutoProxyCreator",
            ProxyCreators.class.getName() + "$OfInfrastructure",
            SPRING + "aspectj.autoproxy.AspectJAwareAdvisorAutoProxyCreator",
            ProxyCreators.class.getName() + "$OfXml",
            SPRING + "aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator",
            ProxyCreators.class.getName() + "$OfAspects");

    private ProxyCreators() {}

    /**
     * Returns the class of the object to create for a bean of the class: another one only for Spring's proxy creator. An application's own creator
     * stays, and its proxies leave the locks to the object. The definition stays too, because Spring refuses to configure a creator that it does not
     * know.
     */
    static Class<?> created(Class<?> type, @Nullable String beanName) {
        if (!AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME.equals(beanName)) {
            return type;
        }
        String creator = CREATORS.get(type.getName());
        return creator == null ? type : ClassUtils.resolveClassName(creator, ProxyCreators.class.getClassLoader());
    }

    /** Returns whether another creator's proxy is directly around an object that takes its locks itself. */
    public static boolean isOfAnotherCreator(Object bean) {
        if (!(bean instanceof Advised proxy) || proxy.getTargetSource() instanceof LockedTarget) {
            return false;
        }
        Object target = AopProxyUtils.getSingletonTarget(proxy);
        return target != null && (LockedSubclass.isGenerated(target.getClass()) || isOfAnotherCreator(target));
    }

    private static void customize(ProxyFactory proxy) {
        if (!(proxy.getTargetSource() instanceof SingletonTargetSource source)) {
            proxy.setAdvisorChainFactory(BodyChain.INSTANCE);
        } else if (LockedSubclass.isGenerated(source.getTargetClass())) {
            proxy.setAdvisorChainFactory(BodyChain.INSTANCE);
            proxy.setTargetSource(new LockedTarget(source.getTarget()));
        }
    }

    private static final class LockedTarget extends SingletonTargetSource {
        private static final long serialVersionUID = 1L;

        LockedTarget(Object target) {
            super(target);
        }

        @Override
        public Class<?> getTargetClass() {
            return super.getTargetClass().getSuperclass();
        }
    }

    public static final class OfInfrastructure extends InfrastructureAdvisorAutoProxyCreator {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object @Nullable [] getAdvicesAndAdvisorsForBean(
                Class<?> type, String beanName, @Nullable TargetSource source) {
            return super.getAdvicesAndAdvisorsForBean(LockedSubclass.superclass(type), beanName, source);
        }

        @Override
        protected Object createProxy(
                Class<?> type, @Nullable String beanName, Object @Nullable [] advice, TargetSource source) {
            return super.createProxy(LockedSubclass.superclass(type), beanName, advice, source);
        }

        @Override
        protected void customizeProxyFactory(ProxyFactory proxy) {
            customize(proxy);
        }
    }

    public static final class OfXml extends AspectJAwareAdvisorAutoProxyCreator {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object @Nullable [] getAdvicesAndAdvisorsForBean(
                Class<?> type, String beanName, @Nullable TargetSource source) {
            return super.getAdvicesAndAdvisorsForBean(LockedSubclass.superclass(type), beanName, source);
        }

        @Override
        protected Object createProxy(
                Class<?> type, @Nullable String beanName, Object @Nullable [] advice, TargetSource source) {
            return super.createProxy(LockedSubclass.superclass(type), beanName, advice, source);
        }

        @Override
        protected void customizeProxyFactory(ProxyFactory proxy) {
            customize(proxy);
        }
    }

    public static final class OfAspects extends AnnotationAwareAspectJAutoProxyCreator {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object @Nullable [] getAdvicesAndAdvisorsForBean(
                Class<?> type, String beanName, @Nullable TargetSource source) {
            return super.getAdvicesAndAdvisorsForBean(LockedSubclass.superclass(type), beanName, source);
        }

        @Override
        protected Object createProxy(
                Class<?> type, @Nullable String beanName, Object @Nullable [] advice, TargetSource source) {
            return super.createProxy(LockedSubclass.superclass(type), beanName, advice, source);
        }

        @Override
        protected void customizeProxyFactory(ProxyFactory proxy) {
            customize(proxy);
        }
    }
}
