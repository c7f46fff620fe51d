package dev.holdfast.lock.test.lua;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names of a block while it is read. Each name has an index in the block's {@link LuaScope}. */
final class LuaNames {

    /** The position of a variable: the number of blocks outward, and the index there. */
    record Place(int depth, int index) {}

    final @Nullable LuaNames outer;
    private final List<String> names = new ArrayList<>();

    LuaNames(@Nullable LuaNames outer) {
        this.outer = outer;
    }

    /** Declares a name. If it was declared before, later uses refer to the new variable. */
    int declare(String name) {
        names.add(name);
        return names.size() - 1;
    }

    int size() {
        return names.size();
    }

    @Nullable
    Place find(String name) {
        int depth = 0;
        for (LuaNames block = this; block != null; block = block.outer) {
            int index = block.names.lastIndexOf(name);
            if (index >= 0) {
                return new Place(depth, index);
            }
            depth++;
        }
        return null;
    }
}
