package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.leader.LeaderElection;
import dev.holdfast.lock.leader.LeaderEvent;
import dev.holdfast.lock.leader.LeaderListener;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

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
        IsolatedListeners listeners = new IsolatedListeners(context);
        this.publisher = new LeaderListener() {
            @Override
            public void onGranted(LeaderEvent.Granted event) {
                listeners.publish(event);
            }

            @Override
            public void onRevoked(LeaderEvent.Revoked event) {
                listeners.publish(event);
            }
        };
    }

    @Override
    public void start() {
        if (elections.isEmpty()) {
            // Excludes elections of the parent context, which starts and stops its own.
            elections = List.copyOf(
                    beans.getBeansOfType(LeaderElection.class, false, true).values());
            elections.forEach(election -> election.addListener(publisher));
        }
        elections.forEach(LeaderElection::start);
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
}
