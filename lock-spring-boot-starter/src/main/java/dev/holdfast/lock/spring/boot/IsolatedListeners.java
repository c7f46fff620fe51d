package dev.holdfast.lock.spring.boot;

import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Publishes events to each listener of a context and its parents, whatever the others throw. Spring's own publication ends with the first listener
 * that fails. A multicaster that the application defines itself decides instead, because it may have its own threads and its own handler of failures.
 */
record IsolatedListeners(ApplicationContext context) {

    void publish(Object event) {
        for (ApplicationContext each = context; each != null; each = each.getParent()) {
            if (!(each instanceof AbstractApplicationContext spring)
                    || spring.containsBeanDefinition(
                            AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)) {
                each.publishEvent(event);
                return;
            }
            publish(spring, event);
        }
    }

    private static void publish(AbstractApplicationContext context, Object event) {
        // Listeners can come at any time, and such events are rare.
        SimpleApplicationEventMulticaster all = new SimpleApplicationEventMulticaster(context.getBeanFactory());
        all.setErrorHandler(failure -> LogFactory.getLog(IsolatedListeners.class)
                .warn("A listener of " + event.getClass().getSimpleName() + " failed", failure));
        context.getApplicationListeners().forEach(all::addApplicationListener);
        for (String name : context.getBeanNamesForType(ApplicationListener.class, true, false)) {
            all.addApplicationListenerBean(name);
        }
        PayloadApplicationEvent<?> published = new PayloadApplicationEvent<>(context, event);
        all.multicastEvent(published, published.getResolvableType());
    }
}
