package dev.holdfast.lock.simulation;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.instrumentation.base.ApplicationCodeTransformer;

/**
 * Fray's agent, which also lets Fray switch threads at fields that are not volatile, in those packages whose objects belong to no thread and to no
 * queue. Elsewhere, these switches only hide the others.
 */
public final class FrayAgent {

    private static final List<String> SMALL = Stream.of("background", "lease", "thread")
            .map(room -> "dev/holdfast/lock/internal/" + room + "/")
            .toList();

    private FrayAgent() {}

    public static void premain(String none, Instrumentation instrumentation) {
        ApplicationCodeTransformer volatileFields = new ApplicationCodeTransformer(false, List.of());
        ApplicationCodeTransformer allFields = new ApplicationCodeTransformer(true, List.of());
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(
                    @Nullable ClassLoader loader,
                    String name,
                    @Nullable Class<?> redefined,
                    @Nullable ProtectionDomain place,
                    byte[] bytes) {
                return (SMALL.stream().anyMatch(name::startsWith) ? allFields : volatileFields)
                        .transform(loader, name, redefined, place, bytes);
            }
        });
    }
}
