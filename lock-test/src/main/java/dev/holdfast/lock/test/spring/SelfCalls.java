package dev.holdfast.lock.test.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/** Reads the calls on {@code this} from a class file. */
final class SelfCalls extends ClassVisitor {

    private static final String DEFAULT = "$default";

    private static final String SUSPENDING = "$suspendImpl";

    private final Class<?> type;
    private final List<SelfCall> calls = new ArrayList<>();
    /** The static methods that Kotlin makes of lambdas and suspending functions. Their first parameter is {@code this}. */
    private final Set<String> functionsOfThis;

    private String file = "Unknown Source";

    private SelfCalls(Class<?> type, Set<String> functionsOfThis) {
        super(SpringAsmInfo.ASM_VERSION);
        this.type = type;
        this.functionsOfThis = functionsOfThis;
    }

    static List<SelfCall> of(Class<?> type) {
        try (InputStream bytes = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            if (bytes == null) {
                return List.of();
            }
            ClassReader file = new ClassReader(bytes);
            Set<String> functions = new HashSet<>();
            int known;
            SelfCalls found;
            // A reading may find functions that it has already passed.
            do {
                known = functions.size();
                found = new SelfCalls(type, functions);
                file.accept(found, ClassReader.SKIP_FRAMES);
            } while (functions.size() > known);
            return found.calls;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void visitSource(@Nullable String source, @Nullable String debug) {
        file = source == null ? file : source;
    }

    @Override
    public @Nullable MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] thrown) {
        boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
        // A bridge passes on the call that the proxy has received.
        return bridge ? null : new Body((access & Opcodes.ACC_STATIC) != 0, name, descriptor);
    }

    /** Follows the values of one method. */
    private final class Body extends ThisTracker {
        private final String name;
        private final String descriptor;
        private int line;

        Body(boolean isStatic, String name, String descriptor) {
            super(isStatic && !functionsOfThis.contains(name + descriptor) ? null : Type.getInternalName(type));
            this.name = name;
            this.descriptor = descriptor;
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
        }

        @Override
        void called(int opcode, String self, String method, String called) {
            boolean isSuper = opcode == Opcodes.INVOKESPECIAL && method.equals(name) && called.equals(descriptor);
            if (!method.startsWith("<") && !isSuper) {
                add(self, method, List.of(Type.getArgumentTypes(called)));
            }
        }

        /** Kotlin calls a function with default arguments by a static one, with the object, the arguments, bits for missing ones, and a marker. */
        @Override
        void calledStatic(String self, String method, String called) {
            if (method.endsWith(SUSPENDING)) {
                functionsOfThis.add(method + called);
            }
            List<Type> all = List.of(Type.getArgumentTypes(called));
            if (method.endsWith(DEFAULT) && all.size() >= 3) {
                String function = method.substring(0, method.length() - DEFAULT.length());
                add(self, function, all.subList(1, all.size() - 2));
            }
        }

        @Override
        void referenced(String self, Handle method) {
            if (method.getTag() == Opcodes.H_INVOKESTATIC) {
                functionsOfThis.add(method.getName() + method.getDesc());
                return;
            }
            add(self, method.getName(), List.of(Type.getArgumentTypes(method.getDesc())));
        }

        private void add(String self, String method, List<Type> parameters) {
            try {
                Class<?> of = ClassUtils.forName(Type.getObjectType(self).getClassName(), type.getClassLoader());
                calls.add(new SelfCall(place(), of, method, parameters));
            } catch (ClassNotFoundException | LinkageError e) {
                throw new IllegalStateException(e);
            }
        }

        /** The place, as in a stack trace, which an IDE makes a link. Compilers name a lambda's method after the method around it. */
        private String place() {
            String shown = name.replaceFirst("^lambda\\$", "").replaceFirst("(.)\\$(lambda|suspendImpl|\\d).*", "$1");
            return type.getName() + "." + (shown.equals("new") ? "<init>" : shown) + "(" + file + ":" + line + ")";
        }
    }
}
