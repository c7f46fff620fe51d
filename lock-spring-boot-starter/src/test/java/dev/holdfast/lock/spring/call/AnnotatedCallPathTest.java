package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.fixture.FreeLocks;
import dev.holdfast.lock.spring.fixture.StartUp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The path of an annotated call in {@code docs/contributing/architecture.md} is the one that a call takes. */
class AnnotatedCallPathTest {

    private static final Pattern HOP = Pattern.compile("\\d+\\. `spring/\\w+/(\\w+)\\.java` `(\\w+)`.*");
    private static final Set<String> PACKAGES =
            Set.of(LockInterceptor.class.getPackageName(), LockOperation.class.getPackageName());
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** The classes and methods that were on the stack of any of these moments, each where it was first called. */
    private static final Set<String> CALLED = new LinkedHashSet<>();

    @Test
    void pathNamesTheClassesOfACallInTheirOrder() throws IOException {
        try (AnnotationConfigApplicationContext context = StartUp.start(
                beans -> beans.registerBean(
                        "locks",
                        LockClient.class,
                        () -> FreeLocks.telling(method -> {
                            if (method.equals("acquire") || method.equals("close")) {
                                record();
                            }
                        })),
                Orders.class)) {
            context.getBean(Orders.class).ship(new Order());
            CALLED.clear();
            context.getBean(Orders.class).ship(new Order());
        }
        List<String> hops = hops();
        assertThat(CALLED).containsSubsequence(hops);
        assertThat(hops).extracting(AnnotatedCallPathTest::type).containsAll(types(CALLED));
    }

    private static List<String> hops() throws IOException {
        String page = Files.readString(Path.of("../docs/contributing/architecture.md"));
        String path = page.substring(page.indexOf("### An annotated call")).split("\n#", 2)[0];
        return path.lines()
                .flatMap(line -> HOP.matcher(line).results())
                .map((MatchResult hop) -> hop.group(1) + "." + hop.group(2))
                .toList();
    }

    private static Set<String> types(Set<String> called) {
        Set<String> types = new LinkedHashSet<>();
        called.forEach(each -> types.add(type(each)));
        return types;
    }

    private static String type(String hop) {
        return hop.substring(0, hop.indexOf('.'));
    }

    private static void record() {
        List<String> frames = new ArrayList<>(STACK.walk(stack -> stack.filter(
                        frame -> PACKAGES.contains(frame.getDeclaringClass().getPackageName()))
                .filter(frame -> !frame.getDeclaringClass().getName().startsWith(AnnotatedCallPathTest.class.getName()))
                .map(frame -> frame.getFileName().replace(".java", "") + "." + frame.getMethodName())
                .toList()));
        Collections.reverse(frames);
        CALLED.addAll(frames);
    }

    /** The key reads it. */
    public static class Order {
        public String getId() {
            record();
            return "4711";
        }
    }

    static class Orders {
        @DistributedLock(name = "order", key = "#order.id")
        public void ship(Order order) {
            record();
        }
    }
}
