package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.DistributedLocks;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Native-image hints for the scripts, which are resources, and for everything that is used by reflection: annotations, key expressions, borrowed leases.
 */
final class LockRuntimeHints implements RuntimeHintsRegistrar {
    private static final String KEY_ROOT = "dev.holdfast.lock.spring.declaration.KeyExpression$Root";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/holdfast/lock/internal/protocol/lua/*");
        hints.proxies().registerJdkProxy(Lease.class);
        ReflectionHints reflection = hints.reflection();
        reflection.registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS);
        reflection.registerType(DistributedLocks.class, MemberCategory.INVOKE_DECLARED_METHODS);
        reflection.registerType(Lease.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        // Keys may use, for example, #root.method.name.
        reflection.registerType(TypeReference.of(KEY_ROOT), MemberCategory.INVOKE_PUBLIC_METHODS);
        reflection.registerType(Method.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        for (String factory : List.of("lettuce.LettuceConnectionFactory", "jedis.JedisConnectionFactory")) {
            reflection.registerTypeIfPresent(
                    classLoader,
                    "org.springframework.data.redis.connection." + factory,
                    type -> type.withField(ApplicationValkey.CONFIGURATION_FIELD)
                            .withMembers(MemberCategory.INVOKE_PUBLIC_METHODS));
        }
        // Enough to find such a factory, and to refuse it.
        reflection.registerTypeIfPresent(classLoader, ApplicationValkey.FACTORY, type -> {});
    }
}
