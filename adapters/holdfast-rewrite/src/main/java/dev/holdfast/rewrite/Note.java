package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/** What a recipe leaves to its user: a comment with a link to the manual. */
enum Note {
    NAMES(
            "these locks are in the Redis of spring.data.redis.*. If other applications use it, set holdfast.key-prefix",
            "migrating-from-shedlock.md#step-1-the-provider"),
    PROVIDER(
            "make this provider a bean of a @Bean method, or replace it by HoldfastLockProvider. No annotation was moved before that",
            "migrating-from-shedlock.md#step-1-the-provider"),
    KOTLIN(
            "replace the provider by HoldfastLockProvider. The recipes change no Kotlin",
            "migrating-from-shedlock.md#step-1-the-provider"),
    SPEL(
            "an expression in a name or a duration becomes 'key', which is another name in Redis",
            "migrating-from-shedlock.md#step-2-the-annotation"),
    NO_AT_MOST(
            "no default for lockAtMostFor was found: decide between leaseTime and the renewed lease",
            "migrating-from-shedlock.md#step-2-the-annotation"),
    LENGTH(
            "Holdfast's annotation has leases of 10 ms to 24 h and minimum holds up to 24 h",
            "migrating-from-shedlock.md#what-shedlocks-terms-become"),
    OTHER_PROVIDER(
            "this job names a provider of its own: decide which LockClient has its lock",
            "migrating-from-shedlock.md#step-1-the-provider"),
    SCHEDULER_MODE(
            "ShedLock locks only calls of the scheduler here, and @DistributedLock locks every call",
            "migrating-from-shedlock.md#step-2-the-annotation"),
    SELF_CALL(
            "ShedLock does not lock the call from within this class, and @DistributedLock would",
            "annotation.md#calls-from-within-the-same-object"),
    RESULT(
            "a skipped call returns null with ShedLock, and an empty value with @DistributedLock",
            "annotation.md#when-the-lock-is-busy"),
    META(
            "an annotation with @SchedulerLock becomes one with @DistributedLock and aliases for its attributes",
            "annotation.md#where-to-put-it"),
    EXTENDER(
            "LockExtender becomes Lease.extend and Lease.minHold, which throw LeaseLostException",
            "migrating-from-shedlock.md#step-2-the-annotation"),
    ASSERTION(
            "this holds under ShedLock's own annotation and executor. Under @DistributedLock, it is LockContext.current()",
            "migrating-from-shedlock.md#step-2-the-annotation"),
    EXECUTOR(
            "this runs under Holdfast's lock, by HoldfastLockProvider. LockClient does the same without ShedLock",
            "migrating-from-shedlock.md#step-2-the-annotation"),
    TEST_ASSERTION("a test that calls a locked method without Spring has no LockContext", "testing.md"),
    OTHER_NAMES(
            "this lock has another name in Redis than before: stop all instances for the change",
            "migrating-from-others.md#from-lock4j"),
    OTHER_NAME(
            "give this lock a name. It must not change when the method is renamed",
            "migrating-from-others.md#from-lock4j"),
    OTHER_EXCEPTION(
            "some code knows the other library's exception for a busy lock. Holdfast throws LockNotAcquiredException",
            "annotation.md#exceptions"),
    OTHER_DEFAULTS(
            "the configuration has default times of the other library: write them at the annotation first",
            "migrating-from-others.md#from-lock4j"),
    OTHER_SELF_CALL(
            "the other library does not lock the call from within this class, and @DistributedLock would",
            "annotation.md#calls-from-within-the-same-object"),
    LOCK4J_ATTRIBUTE(
            "an attribute of this annotation has no counterpart that a recipe can choose",
            "migrating-from-others.md#from-lock4j"),
    KLOCK_STRATEGY(
            "klock runs the method without its lock after the wait, or does what this annotation says. Holdfast throws or skips",
            "migrating-from-others.md#from-klock"),
    REDISSON_MOVED(
            "these locks are in the Redis of spring.data.redis.*, under the names that they had. Beside Redisson's starter, define a RedisSource bean",
            "migrating-from-redisson.md#what-the-recipe-does"),
    REDISSON_ASPECT(
            "@DistributedLock does what this aspect does, and notices a lost lock. Move its methods one by one",
            "annotation.md#attributes"),
    REDISSON_MULTI(
            "Holdfast sorts the names. Sort them too where a service on Redisson takes the same locks",
            "migrating-from-redisson.md#several-locks-at-once"),
    REDISSON_LEASE_UNKNOWN(
            "a lease outside of 10 ms to 24 h is refused here, and none means a renewed one",
            "migrating-from-redisson.md#leases-and-the-watchdog"),
    REDISSON_LEASE(
            "no lock was moved: Holdfast has leases of 10 ms to 24 h, and this one cannot be checked",
            "migrating-from-redisson.md#leases-and-the-watchdog"),
    REDISSON_API(
            "no lock was moved: this has no counterpart that a recipe can choose",
            "migrating-from-redisson.md#call-for-call"),
    REDISSON_CLIENT(
            "no lock was moved: this lock's client is not one that Spring alone passes to a constructor, a bean or a private field",
            "migrating-from-redisson.md#what-the-recipe-does"),
    REDISSON_CREATED(
            "no lock was moved: other code creates this class with a RedissonClient, or reads its field",
            "migrating-from-redisson.md#what-the-recipe-does"),
    REDISSON_EXCEPTION(
            "no lock was moved: this knows an exception of Redisson. Holdfast throws LockUnavailableException",
            "annotation.md#exceptions"),
    REDISSON_MAPPER(
            "no lock was moved: Redisson maps names here. Set holdfast.key-prefix first, so that locks keep their names",
            "migrating-from-redisson.md#steps"),
    REDISSON_SETTINGS(
            "Holdfast's locks have settings of their own, such as holdfast.watchdog-timeout",
            "migrating-from-redisson.md#call-for-call"),
    REDISSON_TEST("this test knows Redisson's locks, which the application does not use any more", "testing.md"),
    REGISTRY_MOVED(
            "locks of this registry are renewed until they are released, and exclude none of RedisLockRegistry. Stop all instances for the change",
            "migrating-from-others.md#from-spring-integrations-redislockregistry"),
    REGISTRY_LEFT(
            "no registry was moved: let a @Bean method do nothing but create this one",
            "migrating-from-others.md#from-spring-integrations-redislockregistry"),
    REGISTRY_RENEWED(
            "only the thread that holds a lock can renew it, and a lock without a time to live is renewed anyway",
            "migrating-from-others.md#from-spring-integrations-redislockregistry"),
    REGISTRY_ELSEWHERE(
            "this registry has its locks elsewhere than in Redis, and stays",
            "migrating-from-others.md#from-spring-integrations-redislockregistry");

    private static final String MANUAL = "https://github.com/holdfast-dev/holdfast/blob/main/docs/";

    private final String text;
    private final String page;

    Note(String text, String page) {
        this.text = text;
        this.page = page;
    }

    /** The page of the manual, with the anchor. */
    String page() {
        return page;
    }

    /** {@return whether a note is above a tree} */
    static boolean isAbove(J tree) {
        for (Comment each : tree.getPrefix().getComments()) {
            if (each instanceof TextComment written && written.getText().startsWith(" Holdfast: ")) {
                return true;
            }
        }
        return false;
    }

    /** The comment as it is written, for a line of its own. */
    String line() {
        return "//" + comment();
    }

    private String comment() {
        return " Holdfast: " + text + ". " + MANUAL + page;
    }

    /** Writes this note above a declaration or a statement, once. */
    <T extends J> T above(T tree) {
        Space prefix = tree.getPrefix();
        List<Comment> comments = new ArrayList<>(prefix.getComments());
        for (Comment each : comments) {
            if (each instanceof TextComment written && written.getText().equals(comment())) {
                return tree;
            }
        }
        comments.add(new TextComment(false, comment(), "\n" + prefix.getIndent(), Markers.EMPTY));
        return tree.withPrefix(prefix.withComments(comments));
    }
}
