package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.benchmarks.application.Locked;
import dev.holdfast.lock.benchmarks.application.Plain;
import dev.holdfast.lock.benchmarks.application.ShedLockProvider;
import dev.holdfast.lock.benchmarks.application.Tested;
import dev.holdfast.lock.benchmarks.application.UsesRedis;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What an application may have besides Spring Boot: the jars, without their versions, and the parts that use them. */
enum StartedLibrary {
    NONE("without", ""),
    /** Holdfast's starter, and no annotated method. */
    STARTER("Holdfast, no annotated method", Jars.HOLDFAST),
    HOLDFAST("Holdfast", Jars.HOLDFAST),
    SHEDLOCK("ShedLock", Jars.SHEDLOCK),
    /** Redisson has no annotation. */
    REDISSON("Redisson", Jars.REDISSON);

    private final String label;
    private final String jars;

    StartedLibrary(String label, String jars) {
        this.label = label;
        this.jars = jars;
    }

    /** What an application is without the library. */
    enum Base {
        BARE("bare, "),
        REDIS("uses Redis, "),
        /** A test of an application that uses Redis, with {@code lock-test} where there is Holdfast. */
        TEST("test, ");

        private final String label;

        Base(String label) {
            this.label = label;
        }
    }

    String subject(Base base) {
        return base.label + label;
    }

    /** Returns the jars of an application with this library. */
    Set<String> jars(Base base) {
        boolean isHoldfast = this == STARTER || this == HOLDFAST;
        String all = Jars.SPRING_BOOT
                + (base != Base.BARE || this != NONE ? Jars.REDIS : "")
                + (base == Base.TEST ? Jars.TEST + (isHoldfast ? " lock-test" : "") : "")
                + jars;
        return Arrays.stream(all.split(" ", -1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the names of the classes that the application consists of. */
    List<String> parts(Base base, Class<?>... more) {
        if (base == Base.TEST) {
            return List.of(Tested.class.getName() + (this == HOLDFAST ? "$LockedTest" : "$UnlockedTest"));
        }
        List<Class<?>> parts = new ArrayList<>(List.of(Plain.class));
        if (base == Base.REDIS) {
            parts.add(UsesRedis.class);
        }
        if (this == HOLDFAST || this == SHEDLOCK) {
            parts.add(Locked.class);
        }
        if (this == SHEDLOCK) {
            parts.add(ShedLockProvider.class);
        }
        parts.addAll(List.of(more));
        return parts.stream().map(Class::getName).toList();
    }

    /** The dependencies of each library, as Maven resolves them for an application that declares only it. */
    private static final class Jars {

        static final String SPRING_BOOT =
                "spring-boot spring-boot-autoconfigure spring-core spring-beans spring-context spring-aop spring-expression"
                        + " micrometer-observation micrometer-commons commons-logging jspecify logback-classic logback-core"
                        + " slf4j-api log4j-to-slf4j log4j-api jul-to-slf4j jakarta.annotation-api snakeyaml";

        static final String REDIS =
                " spring-boot-data-redis spring-boot-data-commons spring-boot-persistence spring-boot-transaction"
                        + " spring-boot-netty lettuce-core redis-authx-core netty-common netty-handler netty-transport"
                        + " netty-resolver netty-resolver-dns netty-codec-dns netty-codec-base netty-buffer netty-transport-native-unix-common reactor-core"
                        + " reactive-streams spring-data-redis spring-data-keyvalue spring-data-commons spring-tx"
                        + " spring-oxm spring-context-support";

        static final String TEST = " spring-test spring-boot-test";

        static final String HOLDFAST = " lock-core lock-spring-boot-starter";

        static final String SHEDLOCK =
                " shedlock-core shedlock-spring shedlock-support-redis shedlock-provider-redis-spring";

        static final String REDISSON =
                " redisson redisson-spring-boot-starter redisson-spring-data-41 netty-codec netty-codec-compression"
                        + " netty-codec-protobuf netty-codec-marshalling cache-api rxjava"
                        + " kryo reflectasm objenesis minlog byte-buddy jodd-util";
    }
}
