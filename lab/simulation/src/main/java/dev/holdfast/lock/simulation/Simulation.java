package dev.holdfast.lock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs a plan from beginning to end, or until a promise is broken. */
final class Simulation {

    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(25);
    private static final long COPY = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long DRAIN = TimeUnit.SECONDS.toNanos(40);
    private static final long AFTER = TimeUnit.SECONDS.toNanos(110);

    /** The result of a run. */
    record Result(Plan plan, @Nullable Violation violation, Counts counts, History history) {

        long hash() {
            return history.hash();
        }
    }

    private final Plan plan;
    private final World world;
    private final Checks checks;
    private final List<SimulatedServer> servers = new ArrayList<>();
    private final List<Instance> instances = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();
    private final List<List<Caller>> byInstance = new ArrayList<>();
    private final ServerChecks serverChecks;
    /** Null if locks are on several servers, because such a lock has no queue over all of them. */
    private final @Nullable QueueChecks queueChecks;

    private final @Nullable OwnerChecks ownerChecks;
    private int rounds;

    private final Faults faults;

    private Simulation(Plan plan, boolean readable) {
        this.plan = plan;
        this.world = new World(plan.seed(), new History(readable));
        this.checks = new Checks(world, plan, new Trouble(world, servers, instances));
        for (int i = 0; i < plan.servers(); i++) {
            SimulatedServer server = new SimulatedServer(world, "redis" + i);
            server.onFault = what -> checks.fail("a script ends with an answer", what);
            server.onForced = name -> checks.forced(name, server.lastDrawn());
            server.onStopRequested = checks.stops::requested;
            servers.add(server);
        }
        if (plan.profile() == Plan.Profile.FAILOVER) {
            servers.forEach(SimulatedServer::open);
        }
        for (int i = 0; i < plan.clients().size(); i++) {
            instances.add(new Instance(i, plan.clients().get(i), world, servers, checks, plan.graceMillis()));
            byInstance.add(new ArrayList<>());
        }
        for (int i = 0; i < plan.callers().size(); i++) {
            int client = plan.callers().get(i).client();
            Caller caller = new Caller(i, plan.callers().get(i), instances.get(client), world, checks);
            callers.add(caller);
            byInstance.get(client).add(caller);
        }
        this.serverChecks = new ServerChecks(plan, servers, checks);
        this.queueChecks = plan.servers() == 1 ? new QueueChecks(world, plan, servers.get(0), checks) : null;
        this.ownerChecks = plan.servers() == 1 && plan.profile() != Plan.Profile.CLOCKS
                ? new OwnerChecks(
                        world, servers.get(0), instances, checks, plan.profile().isSound())
                : null;
        this.faults = new Faults(
                world,
                servers,
                instances,
                checks,
                serverChecks,
                instance -> byInstance.get(instance.number).forEach(Caller::proceed));
    }

    static Result run(Plan plan, boolean readable) {
        return new Simulation(plan, readable).run();
    }

    /** Runs a plan, with a witness on each server that is called with each run of a script. */
    static Result run(Plan plan, Function<SimulatedServer, SimulatedServer.Witness> witness) {
        Simulation simulation = new Simulation(plan, false);
        simulation.servers.forEach(server -> server.witness = witness.apply(server));
        return simulation.run();
    }

    private boolean isIdle() {
        return checks.waits.isEmpty() && callers.stream().allMatch(Caller::isDone);
    }

    private boolean hasFailed() {
        return checks.violation() != null;
    }

    private Result run() {
        try {
            faults.plan(plan.faults());
            callers.forEach(Caller::proceed);
            rounds();
            copies();
            long end = TimeUnit.MILLISECONDS.toNanos(plan.endMillis());
            world.run(end, () -> hasFailed() || isIdle());
            checks.end();
            heal();
            world.run(world.now() + DRAIN, this::hasFailed);
            instances.stream()
                    .filter(instance -> instance.isUp && !instance.isClosing)
                    .forEach(instance -> faults.close(instance, 0, () -> {}));
            world.run(world.now() + AFTER, this::hasFailed);
            if (!hasFailed()) {
                serverChecks.end();
            }
        } catch (RuntimeException | Error thrown) {
            java.io.StringWriter trace = new java.io.StringWriter();
            thrown.printStackTrace(new java.io.PrintWriter(trace));
            checks.fail("the simulation itself goes on", trace.toString());
        } finally {
            world.fibers.end();
        }
        checks.counts.steps = world.steps;
        servers.forEach(server -> checks.counts.executions += server.executions);
        checks.checkPace();
        world.history.add(world.now(), "world", "ends", "", checks.counts.steps);
        return new Result(plan, checks.violation(), checks.counts, world.history);
    }

    private void heal() {
        for (SimulatedServer server : servers) {
            server.refusal = SimulatedServer.Refusal.NONE;
        }
        for (Instance instance : instances) {
            instance.networks.forEach(network -> {
                network.split = false;
                network.extraDelay = 0;
            });
        }
    }

    private void rounds() {
        world.plan(world.self, checks.isOver() ? 10 * ROUND : ROUND, () -> {
            checks.look();
            serverChecks.look();
            if (queueChecks != null) {
                queueChecks.look();
            }
            if (ownerChecks != null && ++rounds % 8 == 0) {
                ownerChecks.look();
            }
            rounds();
        });
    }

    private void copies() {
        if (plan.profile() == Plan.Profile.LOSSY || plan.profile() == Plan.Profile.FAILOVER) {
            world.plan(world.self, COPY, () -> {
                servers.forEach(SimulatedServer::remember);
                copies();
            });
        }
    }
}
