package dev.holdfast.lock.spring.method;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.Repeatable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.AotDetector;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.cglib.core.AbstractClassGenerator;
import org.springframework.cglib.core.ClassEmitter;
import org.springframework.cglib.core.ClassLoaderAwareGeneratorStrategy;
import org.springframework.cglib.core.CodeEmitter;
import org.springframework.cglib.core.ReflectUtils;
import org.springframework.cglib.core.Signature;
import org.springframework.util.ReflectionUtils;

/**
 * Generates the subclass of a bean's class, as Spring does for {@code @Configuration} classes. Its name has Spring's separator, so that Spring treats it
 * like its own subclasses. Its annotated methods call {@link LockedCalls}, and for each there is a method with another name that runs the body alone.
 */
public final class LockedSubclass extends AbstractClassGenerator<Class<?>> {

    private static final String SUFFIX = "$$HoldfastLocks";
    private static final String OWNER = "holdfast$owner";
    private static final String METHOD = "holdfast$method";
    private static final String BODY = "holdfast$body";
    private static final Type CALLS = Type.getType(LockedCalls.class);
    private static final Type OBJECT = Type.getType(Object.class);
    private static final Type OWNED = Type.getType(LockedCalls.Owner.class);
    private static final Type REFLECTED = Type.getType(Method.class);

    /** The bodies of a generated class by the signatures of its methods, and the field that names the object. */
    private record Members(Map<Signature, Method> bodies, Field owner) {}

    private static final ClassValue<@Nullable Members> MEMBERS = new ClassValue<>() {
        @Override
        protected @Nullable Members computeValue(Class<?> type) {
            if (!type.getName().endsWith(SUFFIX)) {
                return null;
            }
            List<Method> methods = methods(Arrays.stream(type.getDeclaredMethods())
                    .filter(each -> !each.isSynthetic() && !Modifier.isStatic(each.getModifiers())));
            return new Members(
                    IntStream.range(0, methods.size())
                            .boxed()
                            .collect(Collectors.toMap(
                                    i -> ReflectUtils.getSignature(methods.get(i)),
                                    i -> LockedCalls.body(type, BODY + i, methods.get(i)))),
                    Objects.requireNonNull(ReflectionUtils.findField(type, OWNER)));
        }
    };

    private final Class<?> type;
    private final List<Method> methods;

    private LockedSubclass(Class<?> type, Collection<Method> methods) {
        super(new Source(LockedSubclass.class.getName()));
        this.type = type;
        this.methods = methods(methods.stream());
    }

    private static List<Method> methods(Stream<Method> methods) {
        return methods.sorted(Comparator.comparing(method -> method.getName() + Type.getMethodDescriptor(method)))
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

    /** Returns whether objects of the class take the locks of all their methods that can be overridden. */
    public static boolean isGenerated(@Nullable Class<?> type) {
        return type != null && MEMBERS.get(type) != null;
    }

    /** Returns the bean's class: the superclass of a generated class, and any other class itself. */
    static Class<?> superclass(Class<?> type) {
        return isGenerated(type) ? type.getSuperclass() : type;
    }

    /** Returns whether the target's method takes its locks for every caller, because its class is generated. */
    public static boolean overrides(@Nullable Object target, Method method) {
        return target != null && body(method, target.getClass()) != null;
    }

    /** Returns the method that runs the body of another one without its locks; null if the class does not override that one. */
    static @Nullable Method body(Method method, Class<?> type) {
        Members members = MEMBERS.get(type);
        return members == null
                ? null
                : members.bodies()
                        .get(ReflectUtils.getSignature(AopUtils.getMostSpecificMethod(method, type.getSuperclass())));
    }

    /** Names the object, and the locks of its context. */
    static void bind(Object object, LockedCalls.ContextLocks locks) {
        Members members = MEMBERS.get(object.getClass());
        if (members != null) {
            ReflectionUtils.setField(members.owner(), object, new LockedCalls.Owner(object, locks));
        }
    }

    /** Returns false for a copy of the object that Spring created, such as a test's spy. Whoever has made it must see the calls of its methods. */
    static boolean isOriginal(Object object) {
        Members members = MEMBERS.get(object.getClass());
        return members != null
                && ReflectionUtils.getField(members.owner(), object) instanceof LockedCalls.Owner owner
                && owner.object() == object;
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
        made.begin_class(
                Opcodes.V1_8, Opcodes.ACC_PUBLIC, getClassName(), Type.getType(type), new Type[0], "<generated>");
        copyAnnotations(made);
        made.declare_field(Opcodes.ACC_PUBLIC | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC, OWNER, OWNED, null);
        constructors().forEach(constructor -> emitConstructor(made, constructor));
        IntStream.range(0, methods.size()).forEach(i -> {
            emitMethod(made, methods.get(i), i);
            emitBody(made, methods.get(i), i);
        });
        emitStatic(made);
        made.end_class();
    }

    /**
     * Copies the annotations of the class, because some code looks at the class of an object alone. A repeatable annotation would count twice for code
     * that collects those of superclasses.
     */
    private void copyAnnotations(ClassVisitor made) {
        try (InputStream file = CallsPastProxy.file(type)) {
            if (file == null) {
                return;
            }
            new ClassReader(file)
                    .accept(
                            new ClassVisitor(SpringAsmInfo.ASM_VERSION) {
                                @Override
                                public @Nullable AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
                                    return visible && isCopied(descriptor)
                                            ? made.visitAnnotation(descriptor, true)
                                            : null;
                                }
                            },
                            ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isCopied(String descriptor) {
        return Arrays.stream(type.getDeclaredAnnotations())
                .map(each -> each.annotationType())
                .anyMatch(each -> Type.getDescriptor(each).equals(descriptor)
                        && !each.isAnnotationPresent(Repeatable.class)
                        && !each.getName().startsWith("kotlin."));
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
        int constant = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL;
        made.declare_field(constant, METHOD + index, REFLECTED, null);
        made.declare_field(constant, BODY + index, REFLECTED, null);
        Signature signature = ReflectUtils.getSignature(method);
        CodeEmitter code = made.begin_method(
                method.getModifiers() & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED | Opcodes.ACC_VARARGS),
                signature,
                ReflectUtils.getExceptionTypes(method));
        code.load_this();
        code.load_this();
        code.getfield(OWNER);
        code.getfield(METHOD + index);
        code.getfield(BODY + index);
        code.create_arg_array();
        Type[] parameters = {OBJECT, OWNED, REFLECTED, REFLECTED, Type.getType(Object[].class)};
        code.invoke_static(CALLS, new Signature("call", OBJECT, parameters), false);
        code.unbox(signature.getReturnType());
        code.return_value();
        code.end_method();
    }

    private static void emitBody(ClassEmitter made, Method method, int index) {
        Signature signature = ReflectUtils.getSignature(method);
        CodeEmitter code = made.begin_method(
                Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC,
                new Signature(BODY + index, signature.getDescriptor()),
                ReflectUtils.getExceptionTypes(method));
        code.load_this();
        code.load_args();
        code.super_invoke(signature);
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
            code.visitLdcInsn(Type.getObjectType(getClassName().replace('.', '/')));
            code.push(BODY + i);
            code.getfield(METHOD + i);
            Type[] others = {Type.getType(Class.class), Type.getType(String.class), REFLECTED};
            code.invoke_static(CALLS, new Signature("body", REFLECTED, others), false);
            code.putfield(BODY + i);
        }
        code.return_value();
        code.end_method();
    }
}
