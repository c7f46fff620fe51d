package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.DistributedLocks;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Hints for the scripts, which are read as resources, and for the annotation, whose attributes are read by reflection. */
public final class LockRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/holdfast/lock/redis/lua/*.lua");
        hints.reflection().registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS);
        hints.reflection().registerType(DistributedLocks.class, MemberCategory.INVOKE_DECLARED_METHODS);
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                        type -> type.withField(LettuceFactorySource.CONFIGURATION_FIELD));
    }
}
