package dev.holdfast.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NoteTest {

    @ParameterizedTest
    @EnumSource(Note.class)
    void pageOfTheNoteHasItsSection(Note note) throws IOException {
        String[] link = note.page().split("#", 2);
        String page = Files.readString(Path.of("../../docs").resolve(link[0]));
        if (link.length == 2) {
            assertThat(page.lines()
                            .filter(line -> line.startsWith("#"))
                            .map(line -> line.replaceFirst("#+ ", "")
                                    .toLowerCase(Locale.ROOT)
                                    .replaceAll("[^\\w\\- ]", "")
                                    .replace(' ', '-')))
                    .contains(link[1]);
        }
    }
}
