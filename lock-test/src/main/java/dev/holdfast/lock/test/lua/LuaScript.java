package dev.holdfast.lock.test.lua;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A script that has been read and can be run any number of times. */
public final class LuaScript {

    /** The names that a script can use besides Lua's own functions. */
    private static final List<String> GIVEN = List.of("redis", "KEYS", "ARGV");

    private final LuaStatement body;
    private final List<Object> library;
    private final LuaNames names;

    private LuaScript(LuaStatement body, Collection<Object> library, LuaNames names) {
        this.body = body;
        this.library = List.copyOf(library);
        this.names = names;
    }

    /**
     * Reads a script.
     *
     * @param text the source
     * @throws LuaException if it uses something that is not supported
     */
    public static LuaScript read(String text) {
        Map<String, Object> library = LuaLibrary.functions();
        LuaNames names = new LuaNames(null);
        GIVEN.forEach(names::declare);
        library.keySet().forEach(names::declare);
        return new LuaScript(new LuaBlocks(text, names).script(), library.values(), names);
    }

    /**
     * Runs the script.
     *
     * @param redis the functions of the global {@code redis}
     * @param keys KEYS
     * @param args ARGV
     * @return the first value that it returns
     */
    public @Nullable Object run(LuaTable redis, List<String> keys, List<String> args) {
        LuaScope scope = new LuaScope(names.size(), null);
        scope.set(0, 0, redis);
        scope.set(0, 1, LuaTable.of(keys));
        scope.set(0, 2, LuaTable.of(args));
        for (int i = 0; i < library.size(); i++) {
            scope.set(0, GIVEN.size() + i, library.get(i));
        }
        @Nullable Object[] returned = body.run(scope);
        return returned == null ? null : LuaLibrary.at(returned, 0);
    }
}
