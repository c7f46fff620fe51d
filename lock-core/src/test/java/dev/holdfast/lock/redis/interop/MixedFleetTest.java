package dev.holdfast.lock.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.interop.LoadedInstance.GuardedData;
import dev.holdfast.lock.redis.interop.VersionedInstance.Form;
import dev.holdfast.lock.redis.interop.Versions.Version;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Nightly(inEachBuild = "VersionsTest, and MixedVersionsTest of the simulation")
class MixedFleetTest {

    private final RedisServer server = RedisServer.shared();

    @AutoClose
    private final Versions versions = new Versions(List.of(server.uri()), key -> server);

    private final Map<Form, String> names = new EnumMap<>(Form.class);

    MixedFleetTest() {
        for (Form form : Form.values()) {
            names.put(form, Versions.name(form));
        }
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
