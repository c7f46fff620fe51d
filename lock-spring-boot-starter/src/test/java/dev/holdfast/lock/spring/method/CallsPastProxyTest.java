package dev.holdfast.lock.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which classes get a subclass: those whose code, or code outside of the application, can call a locked method without the proxy. */
class CallsPastProxyTest {

    private static boolean isReached(Class<?> type) {
        return CallsPastProxy.reach(type, LockAnnotations.lockedMethods(type));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Plain.class,
                OfAnInterface.class,
                CallsOthers.class,
                CallsSuper.class,
                HasFields.class,
                HasInner.class,
                HasHelper.class,
                Compares.class,
                Counts.class,
                Synchronized.class,
                Chooses.class
            })
    void onlyTheProxyCanCall(Class<?> type) {
        assertThat(isReached(type)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                CallsItself.class,
                RefersToItself.class,
                CallsItselfInALocalClass.class,
                CalledBySuperclass.class,
                CalledByDefaultMethod.class,
                CalledByStaticMethod.class,
                ImplementsCallableIndirectly.class,
                PrintsItself.class,
                AddsItself.class,
                AddsItselfFirst.class,
                AddsItselfFirstAndCallsAnother.class,
                AddsItselfAsVarargs.class,
                AddsItselfLater.class,
                AddsItselfInAnInnerClass.class,
                AddsItselfByChoice.class,
                AddsItselfAfterACast.class,
                AddsItselfByAHelper.class,
                AddsItselfInANestedClass.class,
                AddsItselfInAHolder.class,
                GivesItselfToAnother.class,
                StoresItself.class,
                ReturnsItself.class
            })
    void otherCodeCanCall(Class<?> type) {
        assertThat(isReached(type)).isTrue();
    }

    interface Job {
        void pay();
    }

    static class Plain {
        @DistributedLock(name = "plain")
        public void pay() {}
    }

    static class OfAnInterface implements Job, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        @DistributedLock(name = "interface")
        public void pay() {}
    }

    static class CallsOthers extends Plain {
        private final List<Job> jobs = new ArrayList<>();

        @DistributedLock(name = "own")
        public void own(String text, long number) {
            jobs.forEach(Job::pay);
            unlocked(text.isEmpty() ? "none" : text, number + 1);
        }

        private void unlocked(String text, double number) {
            System.out.printf("%s %s%n", text, number);
        }
    }

    static class CallsSuper extends Plain {
        @Override
        @DistributedLock(name = "super")
        public void pay() {
            super.pay();
        }
    }

    static class HasFields extends Plain {
        private final Map<Object, Object> known;
        private @Nullable String text;
        private long number;

        HasFields(Map<Object, Object> known) {
            this.known = Objects.requireNonNull(known);
        }

        void set(String name) {
            this.text = this.known.getOrDefault(name, "none").toString();
            this.number = text == null ? 0L : Long.parseLong(text);
        }

        @Override
        public String toString() {
            return "fields " + number + text;
        }
    }

    static class HasInner extends Plain {
        Supplier<Object> supplier() {
            return new Supplier<>() {
                @Override
                public Object get() {
                    return HasInner.this.name();
                }
            };
        }

        Runnable lambda() {
            return () -> name();
        }

        String name() {
            return getClass().getName();
        }
    }

    static class HasHelper extends Plain {
        String name() {
            return describe(this, 7);
        }

        private static String describe(HasHelper helper, int number) {
            return helper.getClass().getName() + number;
        }
    }

    static class Compares extends Plain {
        boolean isSame(Object other) {
            return other == this;
        }
    }

    static class Counts extends Plain {
        private int count;
        private int other;
        private long wide;

        int next() {
            this.wide = this.other = 7;
            wide++;
            return this.count++ + ++this.other;
        }
    }

    static class Synchronized extends Plain {
        private final List<String> names = new ArrayList<>();

        void add(String name) {
            synchronized (this) {
                names.add(name);
            }
        }
    }

    static class Chooses extends Plain {
        private final Map<String, Object> values = new HashMap<>();

        void choose(String key, @Nullable Object value) {
            put(key, value == null ? key.isEmpty() ? 1 : 2 : value);
            switch (key) {
                case "a" -> values.put(key, "x");
                case "b" -> values.put(key, "y");
                default -> throw new IllegalStateException("no " + key);
            }
        }

        private void put(String key, Object value) {
            values.put(key, value);
        }
    }

    static class CallsItself extends Plain {
        void inside() {
            pay();
        }
    }

    static class RefersToItself extends Plain {
        Runnable inside() {
            return this::pay;
        }
    }

    static class CallsItselfInALocalClass extends Plain {
        Object inside() {
            class Local {
                @Override
                public String toString() {
                    return new Object() {
                        @Override
                        public String toString() {
                            pay();
                            return "";
                        }
                    }.toString();
                }
            }
            return new Local();
        }
    }

    abstract static class Template {
        void all() {
            pay();
        }

        abstract void pay();
    }

    static class CalledBySuperclass extends Template {
        @Override
        @DistributedLock(name = "template")
        void pay() {}
    }

    interface Twice {
        void pay();

        default void twice() {
            pay();
            pay();
        }
    }

    static class CalledByDefaultMethod implements Twice {
        @Override
        @DistributedLock(name = "default")
        public void pay() {}
    }

    static class CalledByStaticMethod extends Plain {
        static void all(List<CalledByStaticMethod> all) {
            all.forEach(each -> each.pay());
        }
    }

    interface Task extends Callable<String> {}

    static class ImplementsCallableIndirectly implements Task {
        @Override
        @DistributedLock(name = "callable")
        public String call() {
            return "";
        }
    }

    static class PrintsItself {
        @Override
        @DistributedLock(name = "text")
        public String toString() {
            return "";
        }
    }

    static class AddsItself extends Plain {
        void addTo(List<Plain> others) {
            others.add(this);
        }
    }

    static class AddsItselfFirst extends Plain {
        void addTo(Map<Object, String> others) {
            others.put(this, "first");
        }
    }

    static class AddsItselfFirstAndCallsAnother extends Plain {
        @Nullable
        AddsItselfFirstAndCallsAnother self;

        void addTo(Map<Object, String> others) {
            others.put(this, Objects.requireNonNull(self).name());
        }

        String name() {
            return "";
        }
    }

    static class AddsItselfAsVarargs extends Plain {
        List<Plain> all() {
            return Arrays.asList(new Plain(), this);
        }
    }

    static class AddsItselfLater extends Plain {
        void addTo(List<Plain> others) {
            Plain one = this;
            others.add(one);
        }
    }

    static class AddsItselfInAnInnerClass extends Plain {
        Runnable addTo(List<Plain> others) {
            return new Runnable() {
                @Override
                public void run() {
                    others.add(AddsItselfInAnInnerClass.this);
                }
            };
        }
    }

    static class AddsItselfByChoice extends Plain {
        void addTo(List<Plain> others, boolean isOther) {
            others.add(isOther ? this : new Plain());
        }
    }

    static class AddsItselfAfterACast extends Plain {
        void addTo(ExecutorService executor) {
            executor.execute((Runnable) (Object) this);
        }
    }

    static class AddsItselfByAHelper extends Plain {
        void addTo(List<Plain> others) {
            add(this, others);
        }

        private static void add(Plain one, List<Plain> others) {
            others.add(one);
        }
    }

    static class AddsItselfInANestedClass extends Plain {
        void addTo(List<Plain> others) {
            new Adder(this, others);
        }

        static class Adder {
            Adder(Plain one, List<Plain> others) {
                others.add(one);
            }
        }
    }

    static class AddsItselfInAHolder extends Plain {
        void addTo(List<Object> others) {
            others.add(new Holder<>(this));
        }

        record Holder<T>(T content) {}
    }

    interface Linked {
        void pay();

        void follow(Linked other);
    }

    static class GivesItselfToAnother implements Linked {
        private @Nullable Linked other;

        @Override
        @DistributedLock(name = "linked")
        public void pay() {}

        @Override
        public void follow(Linked next) {
            other = next;
        }

        void link() {
            Objects.requireNonNull(other).follow(this);
        }
    }

    static class StoresItself extends Plain {
        static @Nullable StoresItself last;

        StoresItself() {
            last = this;
        }
    }

    static class ReturnsItself extends Plain {
        ReturnsItself self() {
            return this;
        }
    }
}
