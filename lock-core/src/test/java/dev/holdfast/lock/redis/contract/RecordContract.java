package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.LockRecord.Reading;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The text beside a lock: its holder writes it, anybody reads it. */
interface RecordContract extends ContractPart {

    Duration KEEP = Duration.ofMinutes(1);

    private boolean hasRecord(String name) {
        LockKind kind = clients().here(name).kind();
        return clients().here(name).name().equals(name) && (kind == LockKind.REENTRANT || kind == LockKind.FAIR);
    }

    private LockRecord here(String name) {
        return clients().here().getRecord(name);
    }

    private LockRecord there(String name) {
        return clients().there().getRecord(name);
    }

    @Test
    @Tag("reach")
    default void othersReadWhatTheHolderWroteAlsoWhenItHasReleased() throws Exception {
        String name = clients().name();
        Lease lease = clients().here(name).acquire();
        if (!hasRecord(name)) {
            assertThatThrownBy(() -> here(name).write(lease, "text", KEEP))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be a lease of the re-entrant or fair lock '" + name + "'");
            lease.close();
            return;
        }
        Reading before = there(name).read();
        assertThat(before.text()).isNull();
        here(name).write(lease, "line\nand: another, ä", KEEP);
        assertThat(there(name).read().text()).isEqualTo("line\nand: another, ä");
        lease.close();
        Reading after = ScriptedThread.outcome(there(name).readAsync().toCompletableFuture());
        assertThat(after.text()).isEqualTo("line\nand: another, ä");
        assertThat(after.time()).isBetween(before.time(), before.time().plus(KEEP));
        assertThat(before.time()).isAfter(Instant.parse("2020-01-01T00:00:00Z"));
    }

    @Test
    @Tag("reach")
    default void nextHolderReplacesTheTextAndAStaleOneDoesNot() {
        String name = clients().name();
        if (!hasRecord(name)) {
            return;
        }
        Lease stale = clients().here(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(20)));
        here(name).write(stale, "first", KEEP);
        clients().loseKey(name);
        try (Lease next = clients().there(name).acquire()) {
            there(name).write(next, "second", KEEP);
            assertThat(stale.isHeld()).isTrue();
            assertThatThrownBy(() -> here(name).write(stale, "late", KEEP)).isInstanceOf(LeaseLostException.class);
            assertThat(stale.isHeld()).isFalse();
            assertThat(here(name).read().text()).isEqualTo("second");
        }
    }

    @Test
    default void releasedHolderWritesNothing() {
        String name = clients().name();
        if (!hasRecord(name)) {
            return;
        }
        Lease lease = clients().here(name).acquire();
        lease.close();
        assertThatThrownBy(() -> here(name).write(lease, "late", KEEP))
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(here(name).read().text()).isNull();
    }

    @Test
    default void textEndsByItsOwnTime() {
        String name = clients().name();
        if (!hasRecord(name)) {
            return;
        }
        try (Lease lease = clients().here(name).acquire()) {
            here(name).write(lease, "soon gone", Duration.ofMillis(1));
            Await.until(
                    "the text has ended",
                    TwoClients.PATIENCE,
                    () -> here(name).read().text() == null);
            assertThatThrownBy(() -> here(name).write(lease, "x", Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("'keep' must be between PT0.001S and PT87600H, was PT0S");
            assertThatThrownBy(() -> here(name).write(lease, "ä".repeat(2_049), KEEP))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("'text' must have at most 4096 bytes of UTF-8, had 4098");
            here(name).write(lease, "ä".repeat(2_048), KEEP);
        }
    }
}
