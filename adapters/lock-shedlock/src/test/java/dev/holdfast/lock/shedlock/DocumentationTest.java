package dev.holdfast.lock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.CompiledExamples;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentationTest {

    @Test
    void everyExampleCompiles(@TempDir Path classes) throws IOException {
        assertThat(CompiledExamples.compile(Path.of("../../docs/migrating-from-shedlock.md"), "shedlock", classes))
                .isEqualTo(1);
    }
}
