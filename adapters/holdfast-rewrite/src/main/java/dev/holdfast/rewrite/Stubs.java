package dev.holdfast.rewrite;

import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;

/** What templates must know of the API of Holdfast. The tests compile what the recipes write against the API itself. */
final class Stubs {

    private static final String[] SOURCES = {
        "package dev.holdfast.lock; public interface LockClient { LeaseLock getLock(String name);"
                + " LeaseLock getFairLock(String name); LeaseReadWriteLock getReadWriteLock(String name);"
                + " LeaseLock getMultiLock(java.util.Collection<String> names); }",
        "package dev.holdfast.lock; public interface LeaseReadWriteLock { LeaseLock readLock(); LeaseLock writeLock(); }",
        "package dev.holdfast.lock; public interface LeaseLock extends java.util.concurrent.locks.Lock {"
                + " void lock(java.time.Duration lease); void lockInterruptibly(java.time.Duration lease) throws InterruptedException;"
                + " boolean tryLock(java.time.Duration wait) throws InterruptedException;"
                + " boolean tryLock(java.time.Duration wait, java.time.Duration lease) throws InterruptedException;"
                + " boolean isLocked(); boolean isHeldByCurrentThread(); int holdCount(); }",
        "package dev.holdfast.lock; public interface Lease { void extend(java.time.Duration lease); void minHold(java.time.Duration minHold); }",
        "package dev.holdfast.lock.spring; public final class LockContext { public static dev.holdfast.lock.Lease current() { return null; } }",
        "package dev.holdfast.lock.shedlock; public final class HoldfastLockProvider { public HoldfastLockProvider(dev.holdfast.lock.LockClient client) {} }",
        "package dev.holdfast.lock.integration; public final class HoldfastLockRegistry {"
                + " public HoldfastLockRegistry(dev.holdfast.lock.LockClient client, String registryKey) {} }",
    };

    private Stubs() {}

    static JavaTemplate template(String code, String... imports) {
        return JavaTemplate.builder(code)
                .imports(imports)
                .javaParser(JavaParser.fromJavaVersion().dependsOn(SOURCES))
                .build();
    }
}
