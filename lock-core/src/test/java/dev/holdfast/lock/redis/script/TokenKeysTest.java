package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.KeySlots;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.protocol.LockKeys;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokenKeysTest {

    private static final int SLOTS = 16_384;

    @Test
    void clusterHasOneTokenKeyForEachSlotAndInThatSlot() {
        LockKeys keys = new LockKeys("", new KeySlots(true));
        Set<String> found = new HashSet<>();
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; slots.size() < SLOTS; i++) {
            String lock = "order:" + i;
            String tokenKey = keys.tokenKey(lock);
            assertThat(RedisGateway.slotOf(tokenKey)).isEqualTo(RedisGateway.slotOf(lock));
            slots.add(RedisGateway.slotOf(lock));
            found.add(tokenKey);
        }

        assertThat(found).hasSize(SLOTS);
    }

    @Test
    void everyClientComesToTheSameTokenKey() {
        for (int i = 0; i < 100; i++) {
            assertThat(new LockKeys("a:", new KeySlots(true)).tokenKey("order:" + i))
                    .isEqualTo(new LockKeys("b:", new KeySlots(true)).tokenKey("order:" + i));
        }
    }

    @Test
    void serverWithoutSlotsHasOneTokenKeyInAll() {
        LockKeys keys = new LockKeys("", new KeySlots(false));

        assertThat(keys.tokenKey("a")).isEqualTo(keys.tokenKey("b")).isEqualTo(LockKeys.TOKEN_KEY);
    }
}
