package dev.holdfast.lock.test.spring;

import static org.springframework.asm.Opcodes.*;

/** How many places an instruction without operands takes from the stack and puts there, and whether the next instruction is not reached by it. */
record StackEffect(int popped, int pushed, boolean ends) {

    private StackEffect(int popped, int pushed) {
        this(popped, pushed, false);
    }

    static StackEffect of(int opcode) {
        return switch (opcode) {
            case NOP, INEG, FNEG, LNEG, DNEG, I2F, F2I, I2B, I2C, I2S, L2D, D2L -> new StackEffect(0, 0);
            case LCONST_0, LCONST_1, DCONST_0, DCONST_1 -> new StackEffect(0, 2);
            case LALOAD, DALOAD -> new StackEffect(2, 2);
            case IALOAD, FALOAD, AALOAD, BALOAD, CALOAD, SALOAD -> new StackEffect(2, 1);
            case LASTORE, DASTORE -> new StackEffect(4, 0);
            case IASTORE, FASTORE, AASTORE, BASTORE, CASTORE, SASTORE -> new StackEffect(3, 0);
            case POP, MONITORENTER, MONITOREXIT -> new StackEffect(1, 0);
            case POP2 -> new StackEffect(2, 0);
            case IADD, ISUB, IMUL, IDIV, IREM, ISHL, ISHR, IUSHR, IAND, IOR, IXOR -> new StackEffect(2, 1);
            case FADD, FSUB, FMUL, FDIV, FREM, FCMPL, FCMPG -> new StackEffect(2, 1);
            case LADD, LSUB, LMUL, LDIV, LREM, LAND, LOR, LXOR -> new StackEffect(4, 2);
            case DADD, DSUB, DMUL, DDIV, DREM -> new StackEffect(4, 2);
            case LSHL, LSHR, LUSHR -> new StackEffect(3, 2);
            case I2L, I2D, F2L, F2D -> new StackEffect(1, 2);
            case L2I, L2F, D2I, D2F -> new StackEffect(2, 1);
            case LCMP, DCMPL, DCMPG -> new StackEffect(4, 1);
            case ARRAYLENGTH -> new StackEffect(1, 1);
            case IRETURN, LRETURN, FRETURN, DRETURN, ARETURN, RETURN, ATHROW -> new StackEffect(0, 0, true);
            default -> new StackEffect(0, 1); // a constant of one place
        };
    }
}
