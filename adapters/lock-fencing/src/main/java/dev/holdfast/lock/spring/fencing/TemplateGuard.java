package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LeaseGuard.Guarded;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/** Guarded writes with a template. The script that the lease guards is sent in place of the caller's. */
record TemplateGuard(RedisTemplate<String, ?> template) implements GuardedRedis {

    static final String SET = "dev/holdfast/lock/spring/fencing/set.lua";

    /** Has the text itself: Spring reads a script's resource again each time that it is asked for the text. */
    private static final RedisScript<Long> SETTING = RedisScript.of(read(SET), Long.class);

    private static final String NO_SCRIPT = "NOSCRIPT";

    @Override
    public void set(String key, Object value) {
        execute(SETTING, List.of(key), value);
    }

    @Override
    public void set(String key, Object value, Duration keep) {
        if (keep.toMillis() < 1) {
            throw new IllegalArgumentException("'keep' must be at least PT0.001S, was " + keep);
        }
        execute(SETTING, List.of(key), value, text(Long.toString(keep.toMillis())));
    }

    @Override
    public GuardedRedis of(RedisTemplate<String, ?> other) {
        return new TemplateGuard(other);
    }

    @Override
    public <T> @Nullable T execute(RedisScript<T> script, List<String> keys, Object... args) {
        Lease lease = LockContext.current();
        Guarded guarded;
        try {
            guarded = lease.guard().guarded(script.getScriptAsString(), keys);
        } catch (LeaseLostException lost) {
            throw refused(lease, lost);
        }
        List<byte[]> all = new ArrayList<>();
        guarded.keys().forEach(key -> all.add(text(key)));
        guarded.firstArgs().forEach(arg -> all.add(text(arg)));
        for (Object arg : args) {
            all.add(serialized(arg));
        }
        byte[][] keysAndArgs = all.toArray(byte[][]::new);
        try {
            return template.execute((RedisCallback<@Nullable T>)
                    connection -> send(connection.scriptingCommands(), guarded, script.getResultType(), keysAndArgs));
        } catch (RuntimeException failure) {
            throw says(LeaseGuard.REFUSAL, failure) ? refused(lease, failure) : failure;
        }
    }

    private <T> @Nullable T send(
            RedisScriptingCommands redis, Guarded guarded, @Nullable Class<T> type, byte[][] keysAndArgs) {
        ReturnType returned = ReturnType.fromJavaType(type);
        int keys = guarded.keys().size();
        Object answer;
        try {
            answer = redis.evalSha(guarded.sha1(), returned, keys, keysAndArgs);
        } catch (RuntimeException failure) {
            if (!says(NO_SCRIPT, failure)) {
                throw failure;
            }
            answer = redis.eval(text(guarded.script()), returned, keys, keysAndArgs);
        }
        return deserialized(answer, type);
    }

    private RuntimeException refused(Lease lease, RuntimeException failure) {
        if (lease.verify()) {
            return new IllegalStateException(
                    "Redis has refused a write under the lock '" + lease.lockName()
                            + "', which is held: the template leads to another Redis or database than the locks",
                    failure);
        }
        return new OptimisticLockingFailureException(
                StaleHolder.refusal(lease.lockName(), lease.fencingToken()), failure);
    }

    /** Spring and Redis before version 7 wrap the error of a script. */
    private static boolean says(String code, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains(code)) {
                return true;
            }
        }
        return false;
    }

    private static String read(String resource) {
        try {
            return new ClassPathResource(resource).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked") // The caller gives what the template's values are.
    private byte[] serialized(Object value) {
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        byte[] bytes = ((RedisSerializer<Object>) template.getValueSerializer()).serialize(value);
        return bytes == null ? new byte[0] : bytes;
    }

    @SuppressWarnings("unchecked") // The type that the caller gave to the script.
    private <T> @Nullable T deserialized(@Nullable Object answer, @Nullable Class<T> type) {
        Object value = answer instanceof byte[] bytes && type != byte[].class
                ? template.getValueSerializer().deserialize(bytes)
                : answer instanceof List<?> list
                        ? list.stream().map(each -> deserialized(each, null)).toList()
                        : answer;
        return (T) value;
    }
}
