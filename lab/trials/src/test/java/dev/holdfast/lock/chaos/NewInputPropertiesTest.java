package dev.holdfast.lock.chaos;

import dev.holdfast.lock.testing.Nightly;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** The properties with seeds that are new each night. A failure names its seed. */
@AddLifecycleHook(NewInputPropertiesTest.AtNight.class)
class NewInputPropertiesTest extends InputPropertiesTest {

    static final class AtNight implements SkipExecutionHook {

        @Override
        public SkipResult shouldBeSkipped(LifecycleContext context) {
            return Nightly.Night.isOn()
                    ? SkipResult.doNotSkip()
                    : SkipResult.skip("runs with -Pnightly; in each build: InputPropertiesTest");
        }
    }

    @Override
    @Property(tries = 5_000)
    void nameIsRefusedWithAReasonOrIsOneSlotsText(@ForAll("names") String name) {
        super.nameIsRefusedWithAReasonOrIsOneSlotsText(name);
    }

    @Override
    @Property(tries = 200)
    void acquiredNameIsTheKeyAndLeavesNothing(@ForAll("names") String name) {
        super.acquiredNameIsTheKeyAndLeavesNothing(name);
    }

    @Override
    @Property(tries = 100)
    void everyWaitAndEveryLeaseWork(@ForAll("durations") Duration wait, @ForAll("durations") Duration lease) {
        super.everyWaitAndEveryLeaseWork(wait, lease);
    }
}
