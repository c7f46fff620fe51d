package dev.holdfast.lock.test.spring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ConstantDynamic;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Runs through the instructions of a method and knows which values on the stack are {@code this}, of its class or of an outer class. A value is the
 * internal name of that class, or null for any other value. A long and a double take two places, as in the JVM's own description.
 */
abstract class ThisTracker extends MethodVisitor {

    private final List<@Nullable String> stack = new ArrayList<>();
    private final Map<Integer, String> locals = new HashMap<>();
    private final Map<Label, List<@Nullable String>> atLabels = new HashMap<>();
    private boolean reachable = true;

    /** @param self the class of {@code this}, null in a static method */
    ThisTracker(@Nullable String self) {
        super(SpringAsmInfo.ASM_VERSION);
        if (self != null) {
            locals.put(0, self);
        }
    }

    abstract void called(int opcode, String self, String method, String descriptor);

    /** A static method was called, with {@code this} as its first argument. */
    abstract void calledStatic(String self, String method, String descriptor);

    /** A function was made of a method and of {@code this}. */
    abstract void referenced(String self, Handle method);

    private void push(int places) {
        for (int i = 0; i < places; i++) {
            stack.add(null);
        }
    }

    private @Nullable String pop() {
        return stack.isEmpty() ? null : stack.remove(stack.size() - 1);
    }

    private void pop(int places) {
        for (int i = 0; i < places; i++) {
            pop();
        }
    }

    private void replace(int popped, int pushed) {
        pop(popped);
        push(pushed);
    }

    /** Copies the topmost values below others. */
    private void duplicate(int copied, int below) {
        List<@Nullable String> values = new ArrayList<>();
        for (int i = 0; i < copied + below; i++) {
            values.add(0, pop());
        }
        stack.addAll(values.subList(below, values.size()));
        stack.addAll(values);
    }

    @Override
    public void visitInsn(int opcode) {
        switch (opcode) {
            case Opcodes.DUP -> duplicate(1, 0);
            case Opcodes.DUP_X1 -> duplicate(1, 1);
            case Opcodes.DUP_X2 -> duplicate(1, 2);
            case Opcodes.DUP2 -> duplicate(2, 0);
            case Opcodes.DUP2_X1 -> duplicate(2, 1);
            case Opcodes.DUP2_X2 -> duplicate(2, 2);
            case Opcodes.SWAP -> {
                duplicate(1, 1);
                pop();
            }
            default -> {
                StackEffect effect = StackEffect.of(opcode);
                replace(effect.popped(), effect.pushed());
                reachable = !effect.ends();
            }
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        replace(opcode == Opcodes.NEWARRAY ? 1 : 0, 1);
    }

    @Override
    public void visitVarInsn(int opcode, int slot) {
        switch (opcode) {
            case Opcodes.ALOAD -> stack.add(locals.get(slot));
            case Opcodes.ILOAD, Opcodes.FLOAD -> push(1);
            case Opcodes.LLOAD, Opcodes.DLOAD -> push(2);
            case Opcodes.ASTORE -> {
                String value = pop();
                locals.remove(slot);
                if (value != null) {
                    locals.put(slot, value);
                }
            }
            case Opcodes.LSTORE, Opcodes.DSTORE -> pop(2);
            default -> pop(1);
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        switch (opcode) {
            case Opcodes.NEW -> push(1);
            case Opcodes.CHECKCAST -> {}
            default -> replace(1, 1);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> push(size);
            case Opcodes.PUTSTATIC -> pop(size);
            case Opcodes.PUTFIELD -> pop(size + 1);
            default -> {
                boolean outer = pop() != null && name.startsWith("this$");
                if (outer) {
                    stack.add(Type.getType(descriptor).getInternalName());
                } else {
                    push(size);
                }
            }
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        String first = popArguments(descriptor);
        if (opcode == Opcodes.INVOKESTATIC) {
            if (first != null) {
                calledStatic(first, name, descriptor);
            }
        } else {
            String self = pop();
            if (self != null) {
                called(opcode, self, name, descriptor);
            }
        }
        push(Type.getReturnType(descriptor).getSize());
    }

    /** Returns the first argument. */
    private @Nullable String popArguments(String descriptor) {
        int places = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
        pop(places - 1);
        return places == 0 ? null : pop();
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        String self = popArguments(descriptor);
        if (self != null && arguments.length > 1 && arguments[1] instanceof Handle method) {
            referenced(self, method);
        }
        push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitLdcInsn(Object value) {
        boolean wide = value instanceof Long
                || value instanceof Double
                || (value instanceof ConstantDynamic constant && constant.getSize() == 2);
        push(wide ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        replace(dimensions, 1);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        List<@Nullable String> thrown = new ArrayList<>();
        thrown.add(null);
        atLabels.put(handler, thrown);
    }

    @Override
    public void visitJumpInsn(int opcode, Label target) {
        boolean twoOperands = opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE;
        if (opcode != Opcodes.GOTO) {
            pop(twoOperands ? 2 : 1);
        }
        jump(target);
        reachable = opcode != Opcodes.GOTO;
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... targets) {
        visitSwitch(otherwise, targets);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] targets) {
        visitSwitch(otherwise, targets);
    }

    private void visitSwitch(Label otherwise, Label... targets) {
        pop();
        jump(otherwise);
        for (Label target : targets) {
            jump(target);
        }
        reachable = false;
    }

    private void jump(Label target) {
        atLabels.putIfAbsent(target, new ArrayList<>(stack));
    }

    @Override
    public void visitLabel(Label label) {
        if (!reachable) {
            stack.clear();
            stack.addAll(atLabels.getOrDefault(label, List.of()));
            reachable = true;
        }
    }
}
