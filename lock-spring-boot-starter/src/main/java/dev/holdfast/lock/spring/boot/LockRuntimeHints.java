package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.DistributedLocks;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** Hints for the scripts, which are read as resources, and for the annotation and the root of key expressions, which are read by reflection. */
public final class LockRuntimeHints implements RuntimeHintsRegistrar {

    private static final String KEY_ROOT = "dev.holdfast.lock.spring.interceptor.KeyEvaluationContext$Root";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/holdfast/lock/redis/lua/*.lua");
        hints.reflection().registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS);
        hints.reflection().registerType(DistributedLocks.class, MemberCategory.INVOKE_DECLARED_METHODS);
        // #root.method.name and the like
        hints.reflection().registerType(TypeReference.of(KEY_ROOT), MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection().registerType(Method.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                        type -> type.withField(LettuceFactorySource.CONFIGURATION_FIELD));
    }
}
