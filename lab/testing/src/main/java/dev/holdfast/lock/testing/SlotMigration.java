package dev.holdfast.lock.testing;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The move of one slot from its master to another, in the steps an operator's tool takes, so that a test can look at the
 * cluster in between: keys that are not there any more are answered by ASK.
 */
public final class SlotMigration {

    private static final int BATCH = 100;

    private final int slot;
    private final ClusterNode source;
    private final ClusterNode target;
    private final List<ClusterNode> masters;
    private final Supplier<List<ClusterNode>> atWork;

    SlotMigration(
            int slot,
            ClusterNode source,
            ClusterNode target,
            List<ClusterNode> masters,
            Supplier<List<ClusterNode>> atWork) {
        this.slot = slot;
        this.source = source;
        this.target = target;
        this.masters = masters;
        this.atWork = atWork;
    }

    /** Opens the slot at both ends: the target first, or there would be an ASK to a node that refuses. */
    public SlotMigration begin() {
        target.commands().clusterSetSlotImporting(slot, source.id());
        source.commands().clusterSetSlotMigrating(slot, target.id());
        return this;
    }

    /** Moves all keys that the slot has now. */
    public SlotMigration moveKeys() {
        for (List<String> keys = next(); !keys.isEmpty(); keys = next()) {
            migrate(keys);
        }
        return this;
    }

    /** Tells all masters who owns the slot now, the target first, and waits until all nodes have heard of it. */
    public void finish() {
        target.commands().clusterSetSlotNode(slot, target.id());
        source.commands().clusterSetSlotNode(slot, target.id());
        masters.stream()
                .filter(node -> node != target && node != source)
                .forEach(node -> node.commands().clusterSetSlotNode(slot, target.id()));
        awaitOwner();
    }

    /** Makes Valkey 9 move the slot with all its keys in one step, and waits until all nodes have heard of it. */
    public void atOnce() {
        source.commands()
                .dispatch(
                        CommandType.CLUSTER,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8)
                                .add("MIGRATESLOTS")
                                .add("SLOTSRANGE")
                                .add(slot)
                                .add(slot)
                                .add("NODE")
                                .add(target.id()));
        awaitOwner();
    }

    private void awaitOwner() {
        Await.until(
                "all nodes know the slot's new owner",
                Duration.ofSeconds(20),
                () -> atWork.get().stream().allMatch(node -> node.ownerOf(slot).equals(target.id())));
    }

    private List<String> next() {
        return source.commands().clusterGetKeysInSlot(slot, BATCH);
    }

    private void migrate(List<String> keys) {
        source.commands().migrate("127.0.0.1", target.server().port(), 0, 5_000, MigrateArgs.Builder.keys(keys));
    }
}
