package dev.holdfast.lock.spring.declaration;

import static dev.holdfast.lock.spring.fixture.StartUp.refused;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.StartUp.Refusal;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Key expressions that cannot work fail startup, with the method and what to do. */
class KeyDeclarationTest {

    static Stream<Refusal> refusals() {
        return Stream.of(
                refused(BrokenKey.class, "BrokenKey.run(java.lang.String)", "'#id +'", "does not parse"),
                refused(UnknownArgument.class, "'#order', which is not a parameter", "Use #id"),
                refused(TypeInKey.class, "T(java.lang.Runtime)", "Keys cannot use types and constructors"),
                refused(ConstructorInKey.class, "Keys cannot use types and constructors"),
                refused(BeanInKey.class, "refers to a bean", "Pass the value as an argument"),
                refused(KeyAndKeys.class, "'key' and 'keys' are both given"),
                refused(FairKeys.class, "'keys' takes re-entrant locks only"),
                refused(BlankKey.class, "BlankKey.run()", "'key' is blank", "Leave it out"),
                refused(BlankKeys.class, "BlankKeys.run()", "'keys' is blank"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void declarationThatCannotWorkIsRefused(Refusal refusal) {
        refusal.check();
    }

    static class BrokenKey {

        @DistributedLock(name = "x", key = "#id +")
        public void run(String id) {}
    }

    static class UnknownArgument {

        @DistributedLock(name = "x", key = "'a' + #order.id")
        public void run(String id) {}
    }

    static class TypeInKey {

        @DistributedLock(name = "x", key = "T(java.lang.Runtime).getRuntime()")
        public void run() {}
    }

    static class ConstructorInKey {

        @DistributedLock(name = "x", key = "new String('a')")
        public void run() {}
    }

    static class BeanInKey {

        @DistributedLock(name = "x", key = "@tenants.current()")
        public void run() {}
    }

    static class KeyAndKeys {

        @DistributedLock(name = "x", key = "#id", keys = "#id")
        public void run(String id) {}
    }

    static class FairKeys {

        @DistributedLock(name = "x", keys = "#id", kind = LockKind.FAIR)
        public void run(String id) {}
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
