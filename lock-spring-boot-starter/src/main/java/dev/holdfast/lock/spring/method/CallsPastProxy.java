package dev.holdfast.lock.spring.method;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds in class files which methods of an object can be called by code that does not have its proxy: the code of its class, of its superclasses and of
 * their nested classes, and any code that knows one of its supertypes from outside the application, or that the object gives itself to.
 */
final class CallsPastProxy {

    private final Class<?> type;
    private final Set<String> hierarchy;
    private final Set<String> called = new HashSet<>();
    private boolean all;

    private CallsPastProxy(Class<?> type) {
        this.type = type;
        this.hierarchy = supertypes(type).map(Type::getInternalName).collect(Collectors.toSet());
    }

    /** Returns whether one of the methods can be called without the proxy, as far as the class itself shows. */
    static boolean reach(Class<?> type, Set<Method> methods) {
        CallsPastProxy calls = new CallsPastProxy(type);
        if (methods.stream().anyMatch(calls::isDeclaredOutside)) {
            return true;
        }
        Set<String> read = new LinkedHashSet<>();
        supertypes(type)
                .filter(each -> each != Object.class && calls.isOfApplication(each))
                .forEach(each -> calls.read(each, read));
        return calls.all
                || methods.stream()
                        .anyMatch(method -> calls.called.contains(key(method.getName(), method.getParameterCount())));
    }

    /** Returns the class's file; null if there is none, as for a class that was generated. */
    static @Nullable InputStream file(Class<?> type) {
        return file(type, Type.getInternalName(type));
    }

    private static @Nullable InputStream file(Class<?> near, String name) {
        ClassLoader loader = near.getClassLoader();
        return loader == null ? null : loader.getResourceAsStream(name + ClassUtils.CLASS_FILE_SUFFIX);
    }

    private static Stream<Class<?>> supertypes(@Nullable Class<?> type) {
        return type == null
                ? Stream.empty()
                : Stream.of(
                                Stream.<Class<?>>of(type),
                                supertypes(type.getSuperclass()),
                                Arrays.stream(type.getInterfaces()).flatMap(CallsPastProxy::supertypes))
                        .flatMap(each -> each)
                        .distinct();
    }

    /** A call may name another descriptor than the method has: that of a bridge. */
    private static String key(String name, int parameters) {
        return name + "/" + parameters;
    }

    private boolean isOfApplication(Class<?> other) {
        return other.getClassLoader() != null && Objects.equals(origin(other), origin(type));
    }

    private static @Nullable Object origin(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null ? type.getClassLoader() : source.getLocation();
    }

    private boolean isDeclaredOutside(Method method) {
        return supertypes(type)
                .filter(each -> !isOfApplication(each))
                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                .anyMatch(each -> each.getName().equals(method.getName())
                        && each.getParameterCount() == method.getParameterCount());
    }

    private void read(Class<?> one, Set<String> read) {
        Set<String> pending = new LinkedHashSet<>(Set.of(Type.getInternalName(one)));
        while (!pending.isEmpty()) {
            String name = pending.iterator().next();
            pending.remove(name);
            if (read.add(name)) {
                try (InputStream file = file(one, name)) {
                    if (file == null) {
                        all = true;
                    } else {
                        new ClassReader(file)
                                .accept(new ClassCode(name, pending), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private final class ClassCode extends ClassVisitor {
        private final String name;
        private final Set<String> nested;

        ClassCode(String name, Set<String> nested) {
            super(SpringAsmInfo.ASM_VERSION);
            this.name = name;
            this.nested = nested;
        }

        @Override
        public void visitInnerClass(String inner, @Nullable String outer, @Nullable String simple, int access) {
            if (inner.startsWith(name + "$")) {
                nested.add(inner);
            }
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            return new MethodCode(hierarchy.contains(name) && (access & Opcodes.ACC_STATIC) == 0);
        }
    }

    /** The calls in a method, and how often it has its object on the stack for another purpose than to use its members. */
    private final class MethodCode extends MethodVisitor {
        private final boolean hasObject;
        private boolean isObject;
        private int objects;

        MethodCode(boolean hasObject) {
            super(SpringAsmInfo.ASM_VERSION);
            this.hasObject = hasObject;
        }

        private void use(int uses) {
            objects -= uses;
            isObject = false;
        }

        /** Counts what an instruction takes. Nested classes and the class's own methods may have the object: their code is read. */
        private void take(String owner, String descriptor, boolean isInstance) {
            boolean isOwn =
                    hierarchy.contains(owner) || hierarchy.stream().anyMatch(each -> owner.startsWith(each + "$"));
            long passed = isOwn
                    ? Arrays.stream(Type.getArgumentTypes(descriptor))
                            .filter(each -> each.getSort() == Type.OBJECT
                                    && hierarchy.contains(each.getInternalName())
                                    && !each.getInternalName().equals("java/lang/Object"))
                            .count()
                    : 0;
            use((int) passed + (isInstance && hierarchy.contains(owner) ? 1 : 0));
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            boolean isCopied = isObject && opcode == Opcodes.ASTORE;
            isObject = opcode == Opcodes.ALOAD && variable == 0;
            objects += isObject ? 1 : 0;
            all |= hasObject && isCopied && !afterCopy;
            objects -= isCopied ? 1 : 0;
            afterCopy = false;
        }

        private boolean afterCopy;

        @Override
        public void visitInsn(int opcode) {
            boolean copies = isObject && opcode == Opcodes.DUP;
            objects += copies ? 1 : 0;
            objects -= opcode == Opcodes.MONITORENTER ? 1 : 0;
            isObject = copies;
            afterCopy = copies;
        }

        @Override
        public void visitJumpInsn(int opcode, org.springframework.asm.Label label) {
            use(opcode == Opcodes.IF_ACMPEQ || opcode == Opcodes.IF_ACMPNE ? 1 : 0);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
            use(!isStatic && hierarchy.contains(owner) ? 1 : 0);
        }

        @Override
        public void visitTypeInsn(int opcode, String name) {
            isObject = false;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean isInterface) {
            int parameters = Type.getArgumentCount(descriptor);
            // A call of 'super' never reaches an override.
            if (opcode != Opcodes.INVOKESPECIAL && hierarchy.contains(owner)) {
                called.add(key(method, parameters));
            }
            take(owner, descriptor, opcode != Opcodes.INVOKESTATIC);
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object each : arguments) {
                if (each instanceof Handle handle && hierarchy.contains(handle.getOwner())) {
                    called.add(key(handle.getName(), Type.getArgumentCount(handle.getDesc())));
                }
            }
            // Other languages may find the method at run time.
            all |= !bootstrap.getOwner().startsWith("java/lang/");
            take(name(), descriptor, false);
        }

        private String name() {
            return Type.getInternalName(type);
        }

        @Override
        public void visitEnd() {
            all |= hasObject && objects > 0;
        }
    }
}
