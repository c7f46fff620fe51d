package dev.holdfast.lock.test.lua;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LuaTableTest {

    @Test
    void listGrowsOverElementsThatCameEarly() {
        LuaTable table = new LuaTable();
        table.put(2.0, "b");
        table.put(3.0, "c");
        assertThat(table.length()).isZero();

        table.put(1.0, "a");

        assertThat(table.length()).isEqualTo(3);
        assertThat(table.get(3.0)).isEqualTo("c");
    }

    @Test
    void listEndsBeforeAnElementThatIsRemovedFromItsEnd() {
        LuaTable table = LuaTable.of(List.of("a", "b", "c"));

        table.put(2.0, null);
        assertThat(table.length()).isEqualTo(3);
        table.put(3.0, null);

        assertThat(table.length()).isEqualTo(1);
        assertThat(table.get(2.0)).isNull();
    }

    @Test
    void keysThatAreNoPlacesInTheListAreKept() {
        LuaTable table = LuaTable.of(List.of("a"));
        table.put(0.0, "zero");
        table.put(1.5, "half");
        table.put("1", "text");

        assertThat(table.length()).isEqualTo(1);
        assertThat(table.get(0.0)).isEqualTo("zero");
        assertThat(table.get(1.5)).isEqualTo("half");
        assertThat(table.get("1")).isEqualTo("text");
        assertThat(table.entries()).extracting(entry -> entry.getKey()).containsExactly(1.0, 0.0, 1.5, "1");
    }

    @Test
    void numbersAreWrittenWithoutAnExponent() {
        assertThat(LuaTable.text(-0.0)).isEqualTo("0");
        assertThat(LuaTable.text(1e15)).isEqualTo("1000000000000000");
        assertThat(LuaTable.text(-123456789012345.0)).isEqualTo("-123456789012345");
    }
}
