package dev.holdfast.lock.spring.check;

import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** What to do at startup with a bean whose annotated methods have no proxy and so run without their locks. */
public enum UnproxiedBeans {
    /** Fail if the bean was created before the proxy creator, and log a warning otherwise. */
    FAIL,
    /** Log a warning. */
    WARN,
    /** Do nothing. */
    OFF;

    static UnproxiedBeans of(Environment environment) {
        return Binder.get(environment)
                .bind("holdfast.unproxied-beans", UnproxiedBeans.class)
                .orElse(FAIL);
    }

    void warn(String beanName, Class<?> type, String reason) {
        say("@DistributedLock on " + type.getName() + ": the bean '" + beanName + "' has no proxy, because " + reason
                + ". Its methods run without their locks.");
    }

    void warnOfCallsInside(String beanName, Class<?> type, String reason) {
        say("@DistributedLock on " + type.getName() + ": only calls through the proxy of the bean '" + beanName
                + "' take its locks, because " + reason
                + ". Calls through 'this', and those that Spring makes when it creates or destroys the object,"
                + " do not.");
    }

    void warnOfAnotherCreator(String beanName, Class<?> type) {
        say("@DistributedLock on " + type.getName() + ": another proxy creator than Spring's advises the bean '"
                + beanName
                + "', whose methods are also called past its proxies. That creator's advice runs outside of the lock, and"
                + " its pointcuts see a subclass of the bean's class.");
    }

    private void say(String line) {
        if (this != OFF) {
            LogFactory.getLog(UnproxiedBeans.class).warn(line);
        }
    }
}
