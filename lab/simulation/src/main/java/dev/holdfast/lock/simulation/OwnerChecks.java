package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.protocol.Scripts;
import dev.holdfast.lock.simulation.LockSpec.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks that Redis and the callers agree. If no caller holds a lock or waits for it, its client must remove the owner from Redis. If Redis has lost
 * a lock, its holder must learn this at the next renewal. An inspection must show what Redis has.
 */
final class OwnerChecks {

    /**
     * The time within which a client must remove an owner that no caller needs: a command that is executed late, and the longest pause between two
     * releases.
     */
    private static final long TAKEN_BACK_WITHIN = TimeUnit.SECONDS.toNanos(6);

    /**
     * The time after which a place must be dead. A command that was sent before a pause may be executed late, and the place then lives for five
     * seconds.
     */
    private static final long PLACE_LIVES_FOR = TimeUnit.SECONDS.toNanos(12);

    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long LONG_OPEN = TimeUnit.SECONDS.toNanos(1);
    private static final Set<Kind> WITH_TOKEN = EnumSet.of(Kind.PLAIN, Kind.FAIR, Kind.NAMES);

    /** Each part has a token of its own. */
    private static final Set<Kind> OF_PARTS = EnumSet.of(Kind.MULTI, Kind.QUORUM);

    private static final String WRITE = ":write";
    private static final Map<String, String> KINDS =
            Map.of("", "REENTRANT", "fair", "FAIR", "semaphore", "SEMAPHORE", "fair-semaphore", "FAIR_SEMAPHORE");
    /** So many places are inspected. A queue may have more. */
    private static final int PLACES = 3;

    private static final int MOST_SHOWN = 20;

    private final World world;
    private final SimulatedServer server;
    private final List<Instance> instances;
    private final Checks checks;
    private final boolean isSound;
    private Set<String> ownersBefore = Set.of();
    private final Map<String, Long> nobodysSince = new HashMap<>();
    private final Map<Hold, Long> missingSince = new HashMap<>();

    OwnerChecks(World world, SimulatedServer server, List<Instance> instances, Checks checks, boolean isSound) {
        this.world = world;
        this.server = server;
        this.instances = instances;
        this.checks = checks;
        this.isSound = isSound;
    }

    /** Runs the checks. Called in rounds. */
    void look() {
        // After a failover, an older state may contain owners that were released.
        Set<String> present = new HashSet<>();
        for (String name : isSound ? QueueChecks.NAMES : List.<String>of()) {
            owners(server, name).forEach(owner -> {
                present.add(owner);
                lookForHolder(name, owner);
                lookWhetherAsleep(name, owner);
            });
        }
        QueueChecks.NAMES.forEach(this::lookWhetherShown);
        ownersBefore = present;
        Map<String, Set<Long>> drawn = new HashMap<>();
        checks.holds.forEach(hold -> lookForKey(hold, drawn));
        missingSince.keySet().retainAll(checks.holds);
    }

    /** Returns the owners that hold a lock. Excludes dead owners, and owners for which the lock is only kept until the end of a minimum hold. */
    static Stream<String> owners(SimulatedServer server, String name) {
        return holders(server, name, fields(server, name)).keySet().stream()
                .filter(field -> !field.endsWith(":0") && !field.endsWith(":0" + WRITE));
    }

    private static Map<String, String> fields(SimulatedServer server, String name) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (server.look("hgetall", name) instanceof List<?> all) {
            for (int i = 0; i + 1 < all.size(); i += 2) {
                fields.put(String.valueOf(all.get(i)), String.valueOf(all.get(i + 1)));
            }
        }
        return fields;
    }

    /** Returns the tokens of the living holders. Dead holders of shared locks stay in the hash until another command removes them. */
    private static Map<String, String> holders(SimulatedServer server, String name, Map<String, String> fields) {
        Map<String, String> tokens = new LinkedHashMap<>();
        fields.forEach((field, value) -> {
            if (WireContract.isOwner(field)) {
                Object text = switch (name) {
                    case "r" -> server.look("get", WireContract.holdKey(name, field));
                    case "s" -> Long.parseLong(value.substring(0, value.indexOf(':'))) > server.millis() ? value : null;
                    default -> fields.getOrDefault("holdfast:token", "");
                };
                if (text instanceof String found) {
                    tokens.put(field, found.substring(found.lastIndexOf(':') + 1));
                }
            }
        });
        return tokens;
    }

    /** Checks that a client that inspects a lock sees its holders, and the first places of its queue. */
    private void lookWhetherShown(String name) {
        Map<String, String> fields = fields(server, name);
        Map<String, String> holders = holders(server, name, fields);
        boolean hasSides = fields.containsKey("mode");
        boolean isWritten = hasSides && holders.keySet().stream().anyMatch(field -> field.endsWith(WRITE));
        holders.keySet().removeIf(field -> isWritten && !field.endsWith(WRITE));
        if (fields.isEmpty() || holders.size() > MOST_SHOWN) {
            return;
        }
        String queue = "redisson_lock_queue:{" + name + "}";
        String side = isWritten ? "WRITE" : "READ";
        String kind = hasSides ? side : KINDS.get(fields.getOrDefault("holdfast:kind", ""));
        long count = holders.size();
        List<Object> there = new ArrayList<>();
        long stop = fields.containsKey("holdfast:stop") ? 1 : 0;
        there.addAll(Arrays.asList(server.look("pttl", name), kind, count, server.look("llen", queue), count, stop));
        holders.forEach((field, token) -> there.addAll(List.of(hasSides ? owner(field) : field, "1", token)));
        if (server.look("lrange", queue, "0", Integer.toString(PLACES - 1)) instanceof List<?> places) {
            places.forEach(place -> there.add(hasSides ? owner((String) place) : place));
        }
        List<Object> shown = server.run(Scripts.INSPECT.get(), List.of(name), List.of(Integer.toString(PLACES)));
        server.executions--;
        if (!shown.equals(there)) {
            checks.fail("an inspection shows what Redis has", name + " has " + there + ", and is shown with " + shown);
        }
    }

    private static String owner(String field) {
        return field.endsWith(WRITE) ? field.substring(0, field.length() - WRITE.length()) : field;
    }

    private void lookForHolder(String name, String owner) {
        Instance instance = clientOf(owner);
        if (instance == null || wants(instance, name)) {
            nobodysSince.remove(owner);
            return;
        }
        long since = nobodysSince.computeIfAbsent(owner, any -> world.now());
        if (checks.trouble.calmFor(instance, since) > TAKEN_BACK_WITHIN) {
            checks.fail(
                    "nothing stays behind", name + " has " + owner + ", and no caller of " + instance.name() + " does");
        }
    }

    private void lookWhetherAsleep(String name, String owner) {
        Instance instance = ownersBefore.contains(owner) ? null : clientOf(owner);
        if (instance != null
                && instance.process.isPaused()
                && world.now() - instance.process.pausedAt > PLACE_LIVES_FOR) {
            checks.fail("a release passes over places that have ended", name + " goes to " + instance.name());
        }
    }

    /** Returns the running client of an owner; null if there is none. */
    private @Nullable Instance clientOf(String owner) {
        for (Instance instance : instances) {
            if (instance.isUp
                    && !instance.isClosing
                    && instance.process.ids.stream().anyMatch(id -> owner.startsWith(id + ":"))) {
                return instance;
            }
        }
        return null;
    }

    private boolean wants(Instance instance, String name) {
        return checks.waits.stream()
                        .anyMatch(wait ->
                                wait.instance == instance && wait.lock.names().contains(name))
                || checks.holds.stream()
                        .anyMatch(hold -> hold.instance == instance
                                && hold.lock.names().contains(name)
                                && (!hold.isSettled() || hold.minHoldEnd > world.now())
                                && (!WITH_TOKEN.contains(hold.lock.kind()) || drawnFor(name) == drawn(hold)));
    }

    /**
     * Checks that Redis has a hold, or that its caller learns that it does not.
     *
     * @param present the tokens of each lock's holders in Redis, as far as they were read in this round
     */
    private void lookForKey(Hold hold, Map<String, Set<Long>> present) {
        boolean missing = hold.isRenewed
                && !OF_PARTS.contains(hold.lock.kind())
                && hold.isBelieved()
                && hold.lock.names().stream()
                        .anyMatch(name -> !present.computeIfAbsent(name, this::drawnOfHolders)
                                .contains(drawn(hold)));
        if (!missing) {
            missingSince.remove(hold);
            return;
        }
        long since = missingSince.computeIfAbsent(hold, any -> world.now());
        long limit = hold.instance.watchdogNanos() / 3
                + (isAnswered(hold.instance, since) ? QUICK : hold.instance.commandTimeoutNanos() + SLACK);
        if (checks.trouble.calmFor(hold.instance, since) > limit) {
            checks.fail("a holder learns at its next renewal that Redis lost its lock", hold.lock, hold.caller);
        }
    }

    /**
     * Returns whether a renewal that was sent at the given time must have been answered, because its connection has been open for some time and there
     * was no fault.
     */
    private boolean isAnswered(Instance instance, long since) {
        return checks.trouble.isCalmSince(instance, since)
                && instance.gateways.stream()
                        .allMatch(gateway -> gateway.commands().isOpen()
                                && since - gateway.commands().openSince() > LONG_OPEN);
    }

    private static long drawn(Hold hold) {
        return TokenChecks.drawn(hold.lease.fencingToken());
    }

    private Set<Long> drawnOfHolders(String name) {
        return holders(server, name, fields(server, name)).values().stream()
                .filter(token -> !token.isEmpty())
                .map(token -> TokenChecks.drawn(Long.parseLong(token)))
                .collect(Collectors.toSet());
    }

    private long drawnFor(String name) {
        return server.look("hmget", name, "holdfast:token") instanceof List<?> found
                        && found.get(0) instanceof String token
                ? TokenChecks.drawn(Long.parseLong(token))
                : -1;
    }
}
