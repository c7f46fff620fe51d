package dev.holdfast.lock.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class MasterTest {

    private static final String OTHER = "07c3 127.0.0.1:30004@31004 master - 0 1426238317239 4 connected 11-16383\n";

    private static BitSet slots(String flags, String own) {
        return Master.slots(OTHER + "e7d1 127.0.0.1:30001@31001,host " + flags + " - 0 0 1 connected" + own + "\n");
    }

    @Test
    void slotsOfOtherServersDoNotCount() {
        BitSet own = new BitSet();
        own.set(0, 3);
        own.set(10);
        assertThat(slots("myself,master", " 0-2 10")).isEqualTo(own);
    }

    @Test
    void replicaHasNone() {
        assertThat(slots("myself,slave", "").isEmpty()).isTrue();
    }

    @Test
    void slotThatIsMovingBelongsToItsSource() {
        BitSet own = new BitSet();
        own.set(0, 3);
        assertThat(slots("myself,master", " 0-2 [2->-07c3]")).isEqualTo(own);
        assertThat(slots("myself,master", " 0-2 [12-<-07c3]")).isEqualTo(own);
    }
}
