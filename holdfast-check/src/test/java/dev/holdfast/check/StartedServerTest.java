package dev.holdfast.check;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no sh")
class StartedServerTest {

    /** At once, and not only when no server could take so long to start. */
    @Test
    void aBinaryThatIsNoServerIsRefusedWithItsWords() {
        assertThatThrownBy(() -> StartedServer.from(Path.of("/bin/sh")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Could not start /bin/sh: ")
                .hasMessageContaining("option");
    }
}
