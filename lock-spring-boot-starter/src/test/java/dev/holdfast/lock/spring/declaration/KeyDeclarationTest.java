package dev.holdfast.lock.spring.declaration;

import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import org.junit.jupiter.api.Test;

/** Key expressions that cannot work fail startup, with the method and what to do. */
class KeyDeclarationTest {

    @Test
    void expressionThatDoesNotParseIsRefused() {
        assertRefused(BrokenKey.class, "BrokenKey.run(java.lang.String)", "'#id +'", "does not parse");
    }

    static class BrokenKey {

        @DistributedLock(name = "x", key = "#id +")
        public void run(String id) {}
    }

    @Test
    void expressionThatNamesNoArgumentIsRefused() {
        assertRefused(UnknownArgument.class, "'#order', which is not a parameter", "Use #id");
    }

    static class UnknownArgument {

        @DistributedLock(name = "x", key = "'a' + #order.id")
        public void run(String id) {}
    }

    @Test
    void expressionWithATypeIsRefused() {
        assertRefused(TypeInKey.class, "T(java.lang.Runtime)", "Keys cannot use types and constructors");
    }

    static class TypeInKey {

        @DistributedLock(name = "x", key = "T(java.lang.Runtime).getRuntime()")
        public void run() {}
    }

    @Test
    void expressionWithAConstructorIsRefused() {
        assertRefused(ConstructorInKey.class, "Keys cannot use types and constructors");
    }

    static class ConstructorInKey {

        @DistributedLock(name = "x", key = "new String('a')")
        public void run() {}
    }

    @Test
    void expressionWithABeanIsRefused() {
        assertRefused(BeanInKey.class, "refers to a bean", "Pass the value as an argument");
    }

    static class BeanInKey {

        @DistributedLock(name = "x", key = "@tenants.current()")
        public void run() {}
    }

    @Test
    void keyAndKeysTogetherAreRefused() {
        assertRefused(KeyAndKeys.class, "'key' and 'keys' are both given");
    }

    static class KeyAndKeys {

        @DistributedLock(name = "x", key = "#id", keys = "#id")
        public void run(String id) {}
    }

    @Test
    void keysOfAnotherKindAreRefused() {
        assertRefused(FairKeys.class, "'keys' takes re-entrant locks only");
    }

    static class FairKeys {

        @DistributedLock(name = "x", keys = "#id", kind = LockKind.FAIR)
        public void run(String id) {}
    }

    @Test
    void blankKeyIsRefused() {
        assertRefused(BlankKey.class, "BlankKey.run()", "'key' is blank", "Leave it out");
        assertRefused(BlankKeys.class, "BlankKeys.run()", "'keys' is blank");
    }

    static class BlankKey {

        @DistributedLock(name = "x", key = " ")
        public void run() {}
    }

    static class BlankKeys {

        @DistributedLock(name = "x", keys = "  ")
        public void run() {}
    }
}
