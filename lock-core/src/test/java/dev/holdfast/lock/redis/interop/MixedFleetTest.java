package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.interop.LoadedInstance.GuardedData;
import dev.holdfast.lock.redis.interop.VersionedInstance.Form;
import dev.holdfast.lock.redis.interop.VersionedInstance.Hold;
import dev.holdfast.lock.redis.interop.Versions.Version;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to the locks of a fleet with two versions of the library while instances come, go and die. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(inEachBuild = "VersionsTest, and MixedVersionsTest of the simulation")
class MixedFleetTest {

    private final RedisServer server = RedisServer.shared();
    private final Versions versions = new Versions(List.of(server.uri()), key -> server);
    private final Map<Form, String> names = new EnumMap<>(Form.class);

    MixedFleetTest() {
        for (Form form : Form.values()) {
            names.put(form, Versions.name(form));
        }
    }

    @AfterEach
    void close() {
        versions.close();
    }

    /** Acquires a lock of every form. */
    private List<Hold> fillAll(VersionedInstance instance) {
        List<Hold> held = new ArrayList<>();
        names.forEach((form, name) -> held.addAll(Versions.fill(instance, form, name)));
        return held;
    }

    /** Begins to wait for what these locks exclude. */
    private Map<Form, CompletableFuture<Hold>> wantAll(VersionedInstance instance, int place) {
        Map<Form, CompletableFuture<Hold>> wanted = new EnumMap<>(Form.class);
        names.forEach((form, name) -> wanted.put(form, instance.acquire(form.excluded(), name)));
        names.values().forEach(name -> versions.awaitQueue(name, place));
        return wanted;
    }

    private static void assertGranted(Map<Form, CompletableFuture<Hold>> wanted, List<Hold> after) {
        long last = after.stream().mapToLong(Hold::token).max().orElseThrow();
        wanted.forEach((form, future) -> {
            Hold hold = Waits.get(future);
            assertThat(hold.token()).as(form.name()).isGreaterThan(last);
            assertThat(hold.verify()).as(form.name()).isTrue();
            hold.close();
        });
    }

    @ParameterizedTest
    @EnumSource
    void locksOfOneVersionAreRenewedWhileTheOtherWaits(Version version) {
        VersionedInstance one = versions.openWithShortLeases(version);
        List<Hold> held = fillAll(one);
        Map<Form, CompletableFuture<Hold>> wanted = wantAll(versions.open(version.other()), 1);

        Await.until("three renewals of each", Waits.LONG, () -> one.renewals() >= 3L * held.size());

        assertThat(held).allMatch(Hold::verify);
        assertThat(wanted.values()).noneMatch(CompletableFuture::isDone);
        held.forEach(Hold::close);
        assertGranted(wanted, held);
    }

    @ParameterizedTest
    @EnumSource
    void readersAndPermitsOfBothVersionsHoldTogether(Version version) {
        VersionedInstance one = versions.open(version);
        VersionedInstance other = versions.open(version.other());
        for (Form form : List.of(Form.READ, Form.PERMIT)) {
            String name = names.get(form);
            try (Hold first = one.tryAcquire(form, name).orElseThrow();
                    Hold second = other.tryAcquire(form, name).orElseThrow()) {
                assertThat(one.tryAcquire(form.excluded(), name)).isEmpty();
                assertThat(other.tryAcquire(form.excluded(), name)).isEmpty();
                assertThat(List.of(first, second)).allMatch(Hold::verify);
            }
            Versions.fill(one, form.excluded(), name).forEach(Hold::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void locksOfAClosingInstanceGoToTheOtherVersion(Version version) {
        VersionedInstance one = versions.open(version);
        List<Hold> held = fillAll(one);
        Map<Form, CompletableFuture<Hold>> wanted = wantAll(versions.open(version.other()), 1);

        one.close();

        assertGranted(wanted, held);
    }

    @ParameterizedTest
    @EnumSource
    void locksOfADeadInstanceGoToTheOtherVersionWhenTheirLeasesEnd(Version version) {
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            List<Hold> held = fillAll(versions.openWithShortLeases(version, proxy.uri()));
            Map<Form, CompletableFuture<Hold>> wanted = wantAll(versions.open(version.other()), 1);

            proxy.refuseConnections();
            proxy.resetConnections();

            assertGranted(wanted, held);
            proxy.heal();
        }
    }

    @ParameterizedTest
    @EnumSource
    void placesOfADeadInstanceArePassedOver(Version version) {
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            List<Hold> held = fillAll(versions.open(version.other()));
            wantAll(versions.openWithShortLeases(version, proxy.uri()), 1);
            Map<Form, CompletableFuture<Hold>> wanted = wantAll(versions.open(version.other()), 2);
            proxy.refuseConnections();
            proxy.resetConnections();
            names.values().forEach(versions::awaitDeafHead);

            held.forEach(Hold::close);

            assertGranted(wanted, held);
            proxy.heal();
        }
    }

    @ParameterizedTest
    @EnumSource
    void forcedReleaseByTheOtherVersionEndsALease(Version version) {
        List<Hold> held = fillAll(versions.open(version));
        Map<Form, CompletableFuture<Hold>> wanted = wantAll(versions.open(version), 1);
        VersionedInstance operator = versions.open(version.other());

        names.forEach((form, name) -> {
            assertThat(operator.forceRelease(name)).isTrue();
            if (form == Form.SEVERAL) {
                operator.forceRelease(name + HoldfastInstance.SECOND_NAME);
            }
        });

        assertThat(held).noneMatch(Hold::verify);
        assertGranted(wanted, held);
    }

    /** Three instances under load are replaced one after the other by the present version, and then by the previous one. */
    @Test
    void fleetIsUpgradedAndDowngradedInstanceByInstance() {
        Map<Form, GuardedData> data = new EnumMap<>(Form.class);
        for (Form form : List.of(Form.PLAIN, Form.FAIR, Form.WRITE, Form.SEVERAL)) {
            data.put(form, new GuardedData(form, names.get(form)));
        }
        List<LoadedInstance> fleet = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            fleet.add(new LoadedInstance(versions.open(Version.PREVIOUS), data.values()));
        }
        try {
            for (Version next : List.of(Version.PRESENT, Version.PREVIOUS)) {
                for (int i = 0; i < fleet.size(); i++) {
                    fleet.get(i).stop();
                    fleet.set(i, new LoadedInstance(versions.open(next), data.values()));
                    fleet.get(i).awaitGrants(5);
                }
            }
        } finally {
            fleet.forEach(LoadedInstance::stop);
        }
        assertThat(data.values()).allMatch(each -> each.violations() == 0);
        names.values().forEach(name -> assertThat(versions.endlessKeys(name)).isEmpty());
    }
}
