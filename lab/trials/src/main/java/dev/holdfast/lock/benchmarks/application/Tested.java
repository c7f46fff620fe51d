package dev.holdfast.lock.benchmarks.application;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestContextManager;

/** Starts an application as Spring's test framework does for a test. */
public final class Tested {

    private Tested() {}

    /** A test of an application that uses Redis itself. */
    @SpringBootTest(classes = {Plain.class, UsesRedis.class})
    public static final class UnlockedTest {}

    /** The same test of an application with a locked method. */
    @SpringBootTest(classes = {Plain.class, UsesRedis.class, Locked.class})
    public static final class LockedTest {}

    /** Does what precedes the first method of a test. */
    static ConfigurableApplicationContext context(Class<?> test) throws Exception {
        TestContextManager manager = new TestContextManager(test);
        manager.beforeTestClass();
        return (ConfigurableApplicationContext) manager.getTestContext().getApplicationContext();
    }
}
