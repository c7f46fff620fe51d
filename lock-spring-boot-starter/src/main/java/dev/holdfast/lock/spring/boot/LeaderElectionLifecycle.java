package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.leader.LeaderListener;
import java.util.List;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Starts and stops the elections of a context. They stop after the web server, schedulers and executors, so that the work of a leader has ended when
 * its lock is released, and before the lock clients, so that another instance leads at once.
 */
final class LeaderElectionLifecycle implements SmartLifecycle {

    static final int PHASE = LockClientLifecycle.PHASE + 1;

    private final ListableBeanFactory beans;
    private final LeaderListener publisher;
    private List<LeaderElection> elections = List.of();
    private volatile boolean running;

    LeaderElectionLifecycle(ListableBeanFactory beans, ApplicationContext context) {
        this.beans = beans;
        this.publisher = new LeaderListener() {
            @Override
            public void onGranted(LeaderEvent.Granted event) {
                publish(context, event);
            }

            @Override
            public void onRevoked(LeaderEvent.Revoked event) {
                publish(context, event);
            }
        };
    }

    @Override
    public void start() {
        if (elections.isEmpty()) {
            // Excludes elections of the parent context, which starts and stops its own.
            elections = List.copyOf(
                    beans.getBeansOfType(LeaderElection.class, false, true).values());
            for (LeaderElection election : elections) {
                election.addListener(publisher);
            }
        }
        for (LeaderElection election : elections) {
            election.start();
        }
        running = true;
    }

    /** Blocks until the locks are released, because Spring stops the lock clients afterward. All elections end at the same time. */
    @Override
    public void stop() {
        elections.forEach(LeaderElection::stopAsync);
        elections.forEach(LeaderElection::close);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /**
     * Publishes events to each listener of a context and its parents, whatever the others throw. Spring's own publication ends with the first listener
     * that fails. A multicaster that the application defines itself decides instead, because it may have its own threads and its own handler of
     * failures.
     */
    private static void publish(ApplicationContext context, Object event) {
        for (ApplicationContext each = context; each != null; each = each.getParent()) {
            if (!(each instanceof AbstractApplicationContext spring)
                    || spring.containsBeanDefinition(
                            AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)) {
                each.publishEvent(event);
                return;
            }
            publishTo(spring, event);
        }
    }

    private static void publishTo(AbstractApplicationContext context, Object event) {
        // Listeners can come at any time, and such events are rare.
        SimpleApplicationEventMulticaster all = new SimpleApplicationEventMulticaster(context.getBeanFactory());
        all.setErrorHandler(failure -> LogFactory.getLog(LeaderElectionLifecycle.class)
                .warn("A listener of " + event.getClass().getSimpleName() + " failed", failure));
        context.getApplicationListeners().forEach(all::addApplicationListener);
        for (String name : context.getBeanNamesForType(ApplicationListener.class, true, false)) {
            all.addApplicationListenerBean(name);
        }
        PayloadApplicationEvent<?> published = new PayloadApplicationEvent<>(context, event);
        all.multicastEvent(published, published.getResolvableType());
    }
}
