package dev.holdfast.lock.test.lua;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A script that has been read and can be run any number of times. */
public final class LuaScript {

    /** What a script is given besides Lua's own functions. */
    private static final List<String> GIVEN = List.of("redis", "KEYS", "ARGV");

    private final LuaStatement body;
    private final Map<String, Object> library;
    private final LuaNames names;

    private LuaScript(LuaStatement body, Map<String, Object> library, LuaNames names) {
        this.body = body;
        this.library = library;
        this.names = names;
    }

    /**
     * Reads a script.
     *
     * @param text the source
     * @throws LuaException if it uses what is not there
     */
    public static LuaScript read(String text) {
        Map<String, Object> library = LuaLibrary.functions();
        LuaNames names = new LuaNames(null);
        GIVEN.forEach(names::declare);
        library.keySet().forEach(names::declare);
        return new LuaScript(new LuaBlocks(text, names).script(), library, names);
    }

    /**
     * Runs the script.
     *
     * @param redis the functions of that name
     * @param keys KEYS
     * @param args ARGV
     * @return the first value that it returns
     */
    public @Nullable Object run(LuaTable redis, List<String> keys, List<String> args) {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("redis", redis);
        given.put("KEYS", LuaTable.of(keys));
        given.put("ARGV", LuaTable.of(args));
        given.putAll(library);
        LuaScope scope = new LuaScope(names.size(), null);
        List<Object> values = new ArrayList<>(given.values());
        for (int i = 0; i < values.size(); i++) {
            scope.set(0, i, values.get(i));
        }
        @Nullable Object[] returned = body.run(scope);
        return returned == null ? null : LuaLibrary.at(returned, 0);
    }
}
