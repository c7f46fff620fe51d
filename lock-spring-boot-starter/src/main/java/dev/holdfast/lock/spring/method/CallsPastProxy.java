package dev.holdfast.lock.spring.method;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
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

/**
 * Finds in class files whether code without the proxy of an object can call a method: code of its class, of its superclasses and of their nested
 * classes, and any code that knows a supertype from outside the application, or that the object gives itself to. If in doubt, it can.
 */
final class CallsPastProxy {

    private static final Method[] NONE = {};

    private final Class<?> type;
    private final Set<Class<?>> supertypes = new HashSet<>();
    private final Set<String> own = new HashSet<>();
    private final Set<String> called = new HashSet<>();
    private boolean isGivenAway;

    private CallsPastProxy(Class<?> type) {
        this.type = type;
        addSupertypes(type, supertypes);
        for (Class<?> each : supertypes) {
            if (isOfApplication(each)) {
                own.add(Type.getInternalName(each));
            }
        }
    }

    /** Returns whether one of the methods can be called without the proxy, as far as the class itself shows. */
    static boolean reach(Class<?> type, Set<Method> methods) {
        Set<String> keys = new HashSet<>();
        for (Method method : methods) {
            keys.add(key(method));
        }
        CallsPastProxy calls = new CallsPastProxy(type);
        return !keys.isEmpty()
                && (calls.isDeclaredOutside(keys) || calls.isGivenAway() || !Collections.disjoint(keys, calls.called));
    }

    private boolean isDeclaredOutside(Set<String> keys) {
        for (Class<?> each : supertypes) {
            for (Method method : isOfApplication(each) ? NONE : each.getDeclaredMethods()) {
                if (keys.contains(key(method))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Reads the code, and returns whether it gives the object to other code. */
    private boolean isGivenAway() {
        Set<String> read = new HashSet<>();
        for (String each : own) {
            read(each, read);
        }
        return isGivenAway;
    }

    /** Returns the class's file; null if there is none, as for a class that was generated. */
    static @Nullable InputStream file(Class<?> type) {
        return file(type, Type.getInternalName(type));
    }

    private static @Nullable InputStream file(Class<?> near, String name) {
        ClassLoader loader = near.getClassLoader();
        return loader == null ? null : loader.getResourceAsStream(name + ClassUtils.CLASS_FILE_SUFFIX);
    }

    private static void addSupertypes(@Nullable Class<?> type, Set<Class<?>> all) {
        if (type != null && all.add(type)) {
            addSupertypes(type.getSuperclass(), all);
            for (Class<?> each : type.getInterfaces()) {
                addSupertypes(each, all);
            }
        }
    }

    private static String key(Method method) {
        return key(method.getName(), method.getParameterCount());
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

    private void read(String name, Set<String> read) {
        if (read.add(name)) {
            try (InputStream file = file(type, name)) {
                if (file == null) {
                    isGivenAway = true;
                } else {
                    new ClassReader(file)
                            .accept(new Code(name, read), ClassReader.SKIP_DEBUG | ClassReader.EXPAND_FRAMES);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final class Code extends ClassVisitor {
        private final String name;
        private final Set<String> read;

        Code(String name, Set<String> read) {
            super(SpringAsmInfo.ASM_VERSION);
            this.name = name;
            this.read = read;
        }

        @Override
        public void visit(
                int version,
                int access,
                String className,
                @Nullable String signature,
                String superclass,
                String[] interfaces) {
            // Older code does not describe its stack.
            isGivenAway |= (version & 0xFFFF) < Opcodes.V1_7;
        }

        @Override
        public void visitInnerClass(String inner, @Nullable String outer, @Nullable String simple, int access) {
            if (inner.startsWith(name + "$")) {
                read(inner, read);
            }
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            return new Body(!isStatic && own.contains(name), isStatic ? 0 : 1, descriptor);
        }
    }

    /**
     * Follows the object through the stack and the variables of a method, for which it needs to know only how many slots an instruction adds. The object
     * may be the receiver of any call or access, captured by a lambda, and given by its type to code that is read as well.
     */
    private final class Body extends MethodVisitor {
        /** How many slots each instruction adds to the stack if that does not depend on its operands: the letter's distance from 'E'. */
        private static final String ADDED =
                "EFFFFFFFFGGFFFGGFFFEEFGFGFEEEEEEEEEEEEEEEEEEEEDEDEDDDDDCDCDEEEEEEEEEEEEEEEEEEEEBABABBBBDCFFFGGGEDCDC"
                        + "DCDCDCDCDCDCDCDCEEEEDDDDDDDCDCDCEFEFDDEEFFDEDEEEBDDBBDDDDDDCCCCCCCCEFEDDDCDCDEEEEEEEEEEFEEEEEEDDEEDDEE";

        private final BitSet variables = new BitSet();
        private final BitSet stack = new BitSet();
        private int height;

        Body(boolean isOfObject, int first, String descriptor) {
            super(SpringAsmInfo.ASM_VERSION);
            variables.set(0, isOfObject);
            int parameter = first;
            for (Type each : Type.getArgumentTypes(descriptor)) {
                variables.set(parameter, isOwn(each));
                parameter += each.getSize();
            }
        }

        /** Returns whether an object of this type may be the one that is followed. */
        private boolean isOwn(Type type) {
            return type.getSort() == Type.OBJECT && own.contains(type.getInternalName());
        }

        private void push(int slots, boolean isObject) {
            stack.set(height, isObject);
            height += slots;
        }

        private void pop(int slots) {
            height = Math.max(0, height - slots);
            stack.clear(height, Integer.MAX_VALUE);
        }

        private boolean isOnTop() {
            return height > 0 && stack.get(height - 1);
        }

        private boolean isNested(String name) {
            return own.stream().anyMatch(each -> name.startsWith(each + "$"));
        }

        private void change(int opcode) {
            pop('E' - ADDED.charAt(opcode));
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.DUP && opcode < Opcodes.SWAP) {
                int copied = opcode < Opcodes.DUP2 ? 1 : 2;
                int below = (opcode - Opcodes.DUP) % 3;
                int first = Math.max(0, height - copied - below);
                BitSet moved = stack.get(first, height);
                for (int i = 0; i < copied + below + copied; i++) {
                    stack.set(first + i, moved.get(i < copied ? below + i : i - copied));
                }
                height += copied;
            } else {
                boolean isUse =
                        opcode == Opcodes.POP || opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT;
                isGivenAway |= isOnTop() && !isUse && ADDED.charAt(opcode) <= 'E';
                change(opcode);
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            change(opcode);
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            if (opcode == Opcodes.ALOAD) {
                push(1, variables.get(variable));
            } else {
                variables.set(variable, variables.get(variable) || (opcode == Opcodes.ASTORE && isOnTop()));
                change(opcode);
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String name) {
            change(opcode);
            if (opcode == Opcodes.INSTANCEOF) {
                pop(1);
                push(1, false);
            }
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            // The other branch comes with another object.
            isGivenAway |= opcode == Opcodes.GOTO && isOnTop();
            change(opcode);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
            pop(1);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
            pop(1);
        }

        @Override
        public void visitLdcInsn(Object value) {
            push(value instanceof Long || value instanceof Double ? 2 : 1, false);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            pop(dimensions - 1);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            Type content = Type.getType(descriptor);
            if (opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC) {
                isGivenAway |= isOnTop() && !(isOwn(content) && isNested(owner));
                pop(content.getSize());
            }
            if (opcode == Opcodes.GETFIELD || opcode == Opcodes.PUTFIELD) {
                pop(1);
            }
            if (opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC) {
                push(content.getSize(), isOwn(content));
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean isInterface) {
            int sizes = Type.getArgumentsAndReturnSizes(descriptor);
            int first = Math.max(0, height - (sizes >> 2) + 1);
            boolean isRead = (opcode == Opcodes.INVOKESTATIC || method.equals("<init>"))
                    && (own.contains(owner) || isNested(owner));
            int argument = first;
            for (Type each : Type.getArgumentTypes(descriptor)) {
                isGivenAway |= stack.get(argument) && !(isRead && isOwn(each));
                argument += each.getSize();
            }
            // A call of 'super' never reaches an override.
            if (opcode != Opcodes.INVOKESPECIAL && own.contains(owner)) {
                called.add(key(method, Type.getArgumentCount(descriptor)));
            }
            pop(height - first + (opcode == Opcodes.INVOKESTATIC ? 0 : 1));
            push(sizes & 3, false);
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object each : arguments) {
                if (each instanceof Handle handle && own.contains(handle.getOwner())) {
                    called.add(key(handle.getName(), Type.getArgumentCount(handle.getDesc())));
                }
            }
            // Other languages may find the method at run time.
            isGivenAway |= !bootstrap.getOwner().startsWith("java/lang/");
            int sizes = Type.getArgumentsAndReturnSizes(descriptor);
            pop((sizes >> 2) - 1);
            push(sizes & 3, false);
        }

        @Override
        public void visitFrame(int kind, int locals, Object[] types, int slots, Object[] content) {
            long wide = Arrays.stream(content, 0, slots)
                    .filter(each -> each == Opcodes.LONG || each == Opcodes.DOUBLE)
                    .count();
            pop(height - slots - (int) wide);
        }
    }
}
