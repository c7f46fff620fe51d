package dev.holdfast.lock.spring.method;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.ProtectionDomain;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.aot.AotDetector;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Label;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;
import org.springframework.cglib.core.AbstractClassGenerator;
import org.springframework.cglib.core.ClassEmitter;
import org.springframework.cglib.core.ClassLoaderAwareGeneratorStrategy;
import org.springframework.cglib.core.CodeEmitter;
import org.springframework.cglib.core.ProcessSwitchCallback;
import org.springframework.cglib.core.ReflectUtils;
import org.springframework.cglib.core.Signature;

/**
 * Generates the subclass of a bean's class, as Spring does for {@code @Configuration} classes. Its name has Spring's separator, so that Spring treats it
 * like its own subclasses. Its annotated methods call {@link LockedCalls}, and {@link LockedObject#holdfastBody} calls the methods of the superclass.
 */
final class LockedSubclass extends AbstractClassGenerator<Class<?>> {

    private static final String SUFFIX = "$$HoldfastLocks";
    private static final String LOCKS = "holdfast$locks";
    private static final String METHOD = "holdfast$method";
    private static final Type CALLS = Type.getType(LockedCalls.class);
    private static final Type OBJECT = Type.getType(Object.class);
    private static final Type OBJECTS = Type.getType(Object[].class);
    private static final Type SUPPLIER = Type.getType(Supplier.class);
    private static final Type REFLECTED = Type.getType(Method.class);
    private static final Type[] THROWS = {Type.getType(Throwable.class)};

    private final Class<?> type;
    private final List<Method> methods;

    private LockedSubclass(Class<?> type, Collection<Method> methods) {
        super(new Source(LockedSubclass.class.getName()));
        this.type = type;
        this.methods = methods.stream()
                .sorted(Comparator.comparing(method -> method.getName() + Type.getMethodDescriptor(method)))
                .toList();
    }

    /** Returns the subclass. It exists once for each class, for all contexts. */
    static Class<?> of(Class<?> type, Collection<Method> methods) {
        LockedSubclass generator = new LockedSubclass(type, methods);
        generator.setNamePrefix(type.getName());
        generator.setContextClass(type);
        generator.setStrategy(new ClassLoaderAwareGeneratorStrategy(type.getClassLoader()));
        generator.setAttemptLoad(AotDetector.useGeneratedArtifacts());
        generator.setNamingPolicy((prefix, source, key, isTaken) -> prefix + SUFFIX);
        return (Class<?>) generator.create(List.of(SUFFIX, type.getName()));
    }

    @Override
    protected ClassLoader getDefaultClassLoader() {
        return type.getClassLoader();
    }

    @Override
    protected ProtectionDomain getProtectionDomain() {
        return ReflectUtils.getProtectionDomain(type);
    }

    @Override
    @SuppressWarnings("rawtypes") // The signature is Spring's.
    protected Object firstInstance(Class generated) {
        return generated;
    }

    @Override
    protected Object nextInstance(Object generated) {
        return generated;
    }

    @Override
    public void generateClass(ClassVisitor visitor) {
        ClassEmitter made = new ClassEmitter(visitor);
        Type[] interfaces = {Type.getType(LockedObject.class)};
        made.begin_class(
                Opcodes.V1_8, Opcodes.ACC_PUBLIC, getClassName(), Type.getType(type), interfaces, "<generated>");
        made.declare_field(Opcodes.ACC_PRIVATE | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC, LOCKS, SUPPLIER, null);
        constructors().forEach(constructor -> emitConstructor(made, constructor));
        IntStream.range(0, methods.size()).forEach(i -> emitMethod(made, methods.get(i), i));
        emitStatic(made);
        emitBody(made);
        emitAccess(made);
        made.end_class();
    }

    private Stream<Constructor<?>> constructors() {
        return Stream.<Constructor<?>>of(type.getDeclaredConstructors())
                .filter(constructor -> !Modifier.isPrivate(constructor.getModifiers()));
    }

    /** Emits a public constructor, because code that is generated ahead of time calls it. */
    private static void emitConstructor(ClassEmitter made, Constructor<?> constructor) {
        Signature signature = ReflectUtils.getSignature(constructor);
        CodeEmitter code = made.begin_method(
                Opcodes.ACC_PUBLIC | (constructor.isVarArgs() ? Opcodes.ACC_VARARGS : 0),
                signature,
                ReflectUtils.getExceptionTypes(constructor));
        code.load_this();
        code.load_args();
        code.super_invoke_constructor(signature);
        code.return_value();
        code.end_method();
    }

    private static void emitMethod(ClassEmitter made, Method method, int index) {
        made.declare_field(
                Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL, METHOD + index, REFLECTED, null);
        Signature signature = ReflectUtils.getSignature(method);
        CodeEmitter code = made.begin_method(
                method.getModifiers() & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED | Opcodes.ACC_VARARGS),
                signature,
                ReflectUtils.getExceptionTypes(method));
        code.load_this();
        code.getfield(METHOD + index);
        code.push(index);
        code.create_arg_array();
        Type[] parameters = {Type.getType(LockedObject.class), REFLECTED, Type.INT_TYPE, OBJECTS};
        code.invoke_static(CALLS, new Signature("call", OBJECT, parameters), false);
        code.unbox(signature.getReturnType());
        code.return_value();
        code.end_method();
    }

    /** Emits the look-up of the methods, when the class is initialized. */
    private void emitStatic(ClassEmitter made) {
        CodeEmitter code = made.begin_static();
        for (int i = 0; i < methods.size(); i++) {
            code.visitLdcInsn(Type.getType(type));
            code.push(methods.get(i).getName());
            code.push(Type.getMethodDescriptor(methods.get(i)));
            Type[] parameters = {Type.getType(Class.class), Type.getType(String.class), Type.getType(String.class)};
            code.invoke_static(CALLS, new Signature("method", REFLECTED, parameters), false);
            code.putfield(METHOD + i);
        }
        code.return_value();
        code.end_method();
    }

    private void emitBody(ClassEmitter made) {
        CodeEmitter code = made.begin_method(
                Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC,
                new Signature("holdfastBody", OBJECT, new Type[] {Type.INT_TYPE, OBJECTS}),
                THROWS);
        code.load_arg(0);
        code.process_switch(IntStream.range(0, methods.size()).toArray(), new ProcessSwitchCallback() {
            @Override
            public void processCase(int index, Label end) {
                Signature signature = ReflectUtils.getSignature(methods.get(index));
                Type[] parameters = signature.getArgumentTypes();
                code.load_this();
                for (int i = 0; i < parameters.length; i++) {
                    code.load_arg(1);
                    code.aaload(i);
                    code.unbox(parameters[i]);
                }
                code.super_invoke(signature);
                code.box(signature.getReturnType());
                code.return_value();
            }

            @Override
            public void processDefault() {
                code.throw_exception(Type.getType(IllegalArgumentException.class), "No such method");
            }
        });
        code.end_method();
    }

    private static void emitAccess(ClassEmitter made) {
        int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC;
        CodeEmitter get = made.begin_method(access, new Signature("holdfastLocks", SUPPLIER, new Type[0]), null);
        get.load_this();
        get.getfield(LOCKS);
        get.return_value();
        get.end_method();
        Type[] parameters = {SUPPLIER};
        CodeEmitter set =
                made.begin_method(access, new Signature("useHoldfastLocks", Type.VOID_TYPE, parameters), null);
        set.load_this();
        set.load_arg(0);
        set.putfield(LOCKS);
        set.return_value();
        set.end_method();
    }
}
