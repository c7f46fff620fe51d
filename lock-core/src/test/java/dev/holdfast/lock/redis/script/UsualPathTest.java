package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.ScriptOutputType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Limits the bytes that Lua allocates on a script's usual path, for functions, tables and strings. Redis creates a script's functions for each call, and
 * they cost more than the commands. The bytes do not depend on how busy the machine is.
 */
class UsualPathTest {

    /** Lua keeps equal texts once, so the first calls make some that later ones find. Rarely, a call makes room in a table of Lua itself. */
    private static final int CALLS = 4;

    private static final String OWNER = "Ty_hYGjXW5BB2x61JglSZg:1:1";

    /** Asks for one of two permits. */
    private static final String OF_TWO = OWNER + ":3000:2";

    /** Scripts and their arguments, which run in turn on one name; and the most bytes that each may make. */
    static Stream<Arguments> usualPaths() {
        return Stream.of(
                Arguments.of(List.of(
                        new Call("acquire", List.of(OWNER, "0", "30000"), 400),
                        new Call("renew", List.of(OWNER, "30000", "the token"), 400),
                        new Call("release", List.of(OWNER, "0"), 200))),
                Arguments.of(List.of(
                        new Call("acquire", List.of(OWNER, "0", "30000", "5000", "fair"), 400),
                        new Call("release", List.of(OWNER, "0", "0", "fair"), 200))),
                Arguments.of(List.of(
                        new Call("read-acquire", List.of(OWNER, "0", "30000", "5000", "", "1"), 500),
                        new Call("rw-renew", List.of(OWNER, "30000", "the token"), 400),
                        new Call("rw-release", List.of(OWNER, "0"), 200))),
                Arguments.of(List.of(
                        new Call("write-acquire", List.of(OWNER + ":write", "0", "30000", "5000"), 500),
                        new Call("rw-release", List.of(OWNER + ":write", "0"), 200))),
                Arguments.of(List.of(
                        new Call("semaphore-acquire", List.of(OF_TWO, "0", "30000", "5000", "semaphore"), 700),
                        new Call("semaphore-acquire", List.of("x" + OF_TWO, "0", "30000", "5000", "semaphore"), 700),
                        new Call("semaphore-release", List.of(OF_TWO, "0", "0", "semaphore"), 450),
                        new Call("semaphore-release", List.of("x" + OF_TWO, "0", "0", "semaphore"), 450))));
    }

    record Call(String script, List<String> args, int most) {}

    @ParameterizedTest
    @MethodSource("usualPaths")
    void usualPathMakesNoFunction(List<Call> calls) {
        long[] least = new long[calls.size()];
        Arrays.fill(least, Long.MAX_VALUE);
        for (int i = 0; i < CALLS; i++) {
            String token = "";
            for (int j = 0; j < least.length; j++) {
                List<Object> made = made(calls.get(j), token);
                least[j] = Math.min(least[j], Long.parseLong((String) made.get(0)));
                token = token.isEmpty() ? String.valueOf(made.get(1)) : token;
            }
        }

        for (int j = 0; j < least.length; j++) {
            assertThat(least[j]).as(calls.get(j).script).isLessThanOrEqualTo(calls.get(j).most);
        }
    }

    /** Returns the bytes that a call has made, and its answer. */
    private static List<Object> made(Call call, String token) {
        String text = Script.load(LockProtocol.class, call.script).text();
        String[] args = call.args.stream()
                .map(arg -> arg.equals("the token") ? token : arg)
                .toArray(String[]::new);
        return RedisServer.shared()
                .cli()
                .eval(
                        "local function script()\n" + text + "\nend\n"
                                + "collectgarbage('stop')\n"
                                + "local before = collectgarbage('count')\n"
                                + "local answer = script()\n"
                                + "local made = (collectgarbage('count') - before) * 1024\n"
                                + "collectgarbage('restart')\n"
                                + "return {tostring(made), answer}",
                        ScriptOutputType.MULTI,
                        new String[] {"usual"},
                        args);
    }
}
