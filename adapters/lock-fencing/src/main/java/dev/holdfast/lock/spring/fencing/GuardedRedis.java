package dev.holdfast.lock.spring.fencing;

import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.spring.LockContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Writes to Redis under the lock of the running code, with the application's {@code StringRedisTemplate}. Redis checks the holder in the step in which
 * it writes, so a holder whose lock has passed on, or was forgotten, writes nothing. The lock is that of {@link LockContext#current()}.
 *
 * <p>The bean of this type is there if there is one {@code StringRedisTemplate}. {@link #of} is for other templates. The template must lead to the Redis
 * and the database in which the locks are. In a cluster, the keys must be in the slot of the lock: a key in another one is refused with the name to use.
 *
 * <p>Every method throws {@link org.springframework.dao.OptimisticLockingFailureException} if the holder does not have its lock any more, as a fence
 * table and {@link FencedBy} do, and {@link IllegalStateException} if the running code has no lock. Other failures are those of the template.
 *
 * @see LeaseGuard
 */
public interface GuardedRedis {

    /**
     * Sets a key. It has no end.
     *
     * @param value serialized as the template does
     */
    void set(String key, Object value);

    /**
     * Sets a key.
     *
     * @param value serialized as the template does
     * @param keep how long the key lives, at least 1 ms
     */
    void set(String key, Object value, Duration keep);

    /**
     * Runs a script, as {@link RedisTemplate#execute(RedisScript, List, Object...)} does. In it, {@code KEYS} and {@code ARGV} have the given keys and
     * arguments. It must be a Lua script: a function of Redis cannot be guarded.
     *
     * @param keys all keys that the script uses
     * @param args serialized as the template does; a {@code byte[]} is sent as it is
     * @return the answer; a {@code byte[]} if that is the type of the script's result, otherwise deserialized as the template does
     */
    <T> @Nullable T execute(RedisScript<T> script, List<String> keys, Object... args);

    /** Returns the guarded writes of another template, such as one with values in binary form. Its keys must be texts. */
    GuardedRedis of(RedisTemplate<String, ?> template);
}
