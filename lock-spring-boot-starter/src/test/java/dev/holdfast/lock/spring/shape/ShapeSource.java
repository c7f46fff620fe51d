package dev.holdfast.lock.spring.shape;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the classes of a shape: the bean's class {@code Job} and its supertypes, {@code Setup}, which registers the bean, and {@code Driver}, which
 * calls it.
 */
final class ShapeSource {

    private static final String IMPORTS = """
            import dev.holdfast.lock.spring.DistributedLock;
            import dev.holdfast.lock.spring.shape.Seen;
            import java.util.concurrent.CompletableFuture;
            import org.springframework.beans.factory.annotation.Autowired;
            import org.springframework.beans.factory.annotation.Lookup;
            import org.springframework.beans.factory.annotation.Qualifier;
            import org.springframework.beans.factory.annotation.Value;
            import org.springframework.beans.factory.support.ChildBeanDefinition;
            import org.springframework.beans.factory.support.RootBeanDefinition;
            import org.springframework.context.ApplicationContext;
            import org.springframework.context.ConfigurableApplicationContext;
            import org.springframework.context.annotation.AnnotationConfigApplicationContext;
            import org.springframework.context.annotation.Bean;
            import org.springframework.context.annotation.Configuration;
            import org.springframework.context.annotation.Import;
            import org.springframework.context.annotation.Lazy;
            import org.springframework.context.annotation.Scope;
            import org.springframework.context.annotation.ScopedProxyMode;
            import org.springframework.core.env.Environment;
            import org.springframework.scheduling.annotation.Async;
            import org.springframework.transaction.annotation.Transactional;
            import reactor.core.publisher.Flux;
            import reactor.core.publisher.Mono;

            """;

    private final Shape shape;
    private final Recipe recipe;
    private final String lock;
    private final Map<String, StringBuilder> files = new LinkedHashMap<>();

    private ShapeSource(Shape shape) {
        this.shape = shape;
        this.recipe = shape.call().recipe();
        String key = shape.signature() == Signature.KEYED ? ", key = \"#item\"" : "";
        String one = "@DistributedLock(name = \"" + shape.id() + "\"" + key + ")";
        this.lock = switch (shape.placement()) {
            case META -> "@" + shape.packageName() + ".Setup.Meta";
            case REPEATED -> one + " @DistributedLock(name = \"" + shape.id() + "b\"" + key + ")";
            default -> one;
        };
    }

    /** Returns the source files by the names of their classes. */
    static Map<String, String> of(Shape shape) {
        ShapeSource source = new ShapeSource(shape);
        source.setup();
        source.driver();
        source.job();
        return source.files.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, file -> file.getValue().toString()));
    }

    private void file(String packageName, String type, String code) {
        files.computeIfAbsent(
                        packageName + "." + type,
                        name -> new StringBuilder("package " + packageName + ";\n\n").append(IMPORTS))
                .append(code)
                .append('\n');
    }

    // The method

    private String parameters() {
        String given = recipe.parameters();
        return given == null ? shape.signature().parameters() : given;
    }

    private String method(String annotations, String modifiers, String result, String parameters, String body) {
        String typeParameters = shape.signature() == Signature.GENERIC ? "<T> " : "";
        String failure = shape.signature() == Signature.THROWING ? " throws Seen.Expected" : "";
        return "    " + annotations + "\n    " + modifiers + " " + typeParameters + result + " " + recipe.name() + "("
                + parameters + ")" + failure + body + "\n";
    }

    /** The method with the body that looks for the lock. */
    private String body(boolean annotated, String parameters) {
        boolean stateless = shape.modifier() == Modifier.STATIC
                || shape.type() == Type.RECORD
                || shape.type().isInInterface();
        String seen = "Seen.body(\"" + shape.id() + "\", "
                + (stateless ? "Seen.TEXT" : "this.state")
                + (shape.signature() == Signature.LEASE ? ", lease)" : ")");
        String code = shape.signature() == Signature.THROWING
                ? seen + "; throw new Seen.Expected();"
                : shape.result().code(seen);
        return method(
                        annotated ? annotations() : "",
                        modifiers(),
                        shape.result().type(),
                        parameters,
                        " { " + code + " }")
                + (shape.signature() == Signature.OVERLOADED ? overloads() : "");
    }

    private String overloads() {
        String unused = " { throw new AssertionError(); }\n";
        String modifiers = shape.type().isInInterface() ? "default" : "public";
        return "    " + modifiers + " void " + recipe.name() + "(Integer item)" + unused + "    " + modifiers + " void "
                + recipe.name() + "(String item, int count)" + unused;
    }

    private String modifiers() {
        return shape.type().isInInterface()
                ? "default"
                : shape.visibility().code() + " " + shape.modifier().code();
    }

    /** The annotations of the method that Spring and other callers see. */
    private String annotations() {
        boolean locked = switch (shape.placement()) {
            case METHOD, META, REPEATED -> true;
            default -> false;
        };
        return recipe.annotation() + " " + around() + (locked ? " " + lock : "");
    }

    private String around() {
        return switch (shape.around()) {
            case NOTHING -> "";
            case TRANSACTION -> "@Transactional";
            case ASYNC -> "@Async";
        };
    }

    private String arguments() {
        return recipe.parameters() == null ? shape.signature().arguments() : "";
    }

    private static String names(String parameters) {
        return Stream.of(parameters.split(","))
                .map(parameter -> parameter.substring(parameter.lastIndexOf(' ') + 1))
                .collect(Collectors.joining(", "));
    }

    private String code(String template, String job, String host) {
        String call = recipe.name() + "(" + arguments() + "); ";
        return template.replaceAll(
                        "CALL\\((\\S+?)\\)",
                        shape.result() == Result.VOID ? "$1." + call + "return null;" : "return $1." + call)
                .replaceAll("\\bJOB\\b", job)
                .replaceAll("\\bHOST\\b", host)
                .replaceAll("\\bNAME\\b", recipe.name())
                .replaceAll("\\bSHAPE\\b", shape.id());
    }

    // The bean's class and its supertypes

    private void job() {
        Type type = shape.type();
        StringBuilder code = new StringBuilder();
        if (shape.hasFace()) {
            face();
        }
        if (type.hasBase()) {
            base();
        }
        String extending = type.hasBase()
                ? " extends " + shape.basePackage() + ".Base" + (type.isGeneric() ? "<String>" : "")
                : recipe.superclass().isEmpty() ? "" : " extends " + recipe.superclass();
        boolean host = !type.inherits();
        String implementing = Stream.of(
                        (host || shape.call() == Call.SUPER) && isEnteredInJob() ? "Seen.Entry" : "",
                        host && !type.isInInterface() ? recipe.type() : "",
                        shape.hasFace() ? "Face" : "")
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining(", "));
        String keyword = switch (type) {
            case RECORD ->
                "record Job(" + (shape.creation() == Creation.CONSTRUCTOR_INJECTION ? "Environment environment" : "")
                        + ")";
            case FINAL -> "final class Job";
            case SEALED -> "sealed class Job";
            case OF_SEALED_INTERFACE -> "non-sealed class Job";
            case NESTED -> "static class Job";
            default -> "class Job";
        };
        code.append(jobAnnotations())
                .append(keyword)
                .append(extending)
                .append(implementing.isEmpty() ? "" : " implements " + implementing)
                .append(type == Type.SEALED ? " permits Heir" : "")
                .append(" {\n")
                .append(type == Type.RECORD ? "" : "    private final Object state = new Object();\n")
                .append(constructor())
                .append(creationMembers());
        if (type.overrides()) {
            String pass = (shape.result() == Result.VOID ? "" : "return ") + "super." + recipe.name() + "("
                    + names(parameters()) + ");";
            code.append(
                    type == Type.OVERRIDING
                            ? method(
                                    annotations(),
                                    modifiers(),
                                    shape.result().type(),
                                    parameters(),
                                    " { " + pass + " }")
                            : body(true, parameters()));
        } else if (host && !type.isInInterface()) {
            code.append(body(true, parameters()));
        }
        if (host) {
            code.append(members("Job"));
        }
        if (shape.call() == Call.SUPER) {
            code.append(entry("Job"));
        }
        code.append("}\n");
        if (type == Type.SEALED) {
            code.append("final class Heir extends Job { Heir() { super(")
                    .append(shape.creation() == Creation.CONSTRUCTOR_INJECTION ? "null, null" : "")
                    .append("); } }\n");
        }
        file(shape.packageName(), "Setup", type == Type.NESTED ? "class Outer {\n" + code + "}\n" : code.toString());
    }

    /** Whether the class of the bean has the entry, and not its superclass. */
    private boolean isEnteredInJob() {
        return shape.call().isEntered() && shape.call() != Call.TEMPLATE;
    }

    private String jobAnnotations() {
        String creation = switch (shape.creation()) {
            case SCANNED, IMPORTED -> "@org.springframework.stereotype.Component(\"job\")";
            case LAZY -> "@Lazy";
            case CONFIGURATION -> "@Configuration";
            case PROTOTYPE -> "@Scope(\"prototype\")";
            case SCOPED -> "@Scope(scopeName = \"thread\", proxyMode = ScopedProxyMode.TARGET_CLASS)";
            case SCOPED_BY_INTERFACE -> "@Scope(scopeName = \"thread\", proxyMode = ScopedProxyMode.INTERFACES)";
            default -> "";
        };
        return creation + "\n";
    }

    private String constructor() {
        Type type = shape.type();
        String body = shape.call() == Call.CONSTRUCTOR && !type.inherits()
                ? " { " + (recipe.name() + "(" + arguments() + ");") + " }"
                : " {}";
        if (type == Type.RECORD) {
            return "    Job" + body + "\n";
        }
        String parameters = shape.creation() == Creation.CONSTRUCTOR_INJECTION
                ? "Environment environment, org.springframework.beans.factory.ObjectProvider<Runnable> others"
                : "";
        return "    " + (type == Type.PRIVATE_CONSTRUCTOR ? "private " : "") + "Job(" + parameters + ")" + body + "\n";
    }

    private String creationMembers() {
        String factory = "    static Job create() { return new Job(); }\n";
        return switch (shape.creation()) {
            case FACTORY_METHOD -> factory;
            case LOOKUP -> "    @Lookup Setup.Other other() { return null; }\n";
            case CIRCULAR -> "    @Autowired Setup.Friend friend;\n";
            default ->
                shape.type() == Type.PRIVATE_CONSTRUCTOR && shape.creation() != Creation.CONSTRUCTOR_INJECTION
                        ? factory
                        : "";
        };
    }

    /** What the class of the body needs beside it. */
    private String members(String host) {
        String members = recipe.members().isEmpty() ? "" : "    " + recipe.members() + "\n";
        if (shape.call() == Call.POST_CONSTRUCT_THIS) {
            members += "    @jakarta.annotation.PostConstruct public void begin() { " + recipe.name() + "("
                    + arguments() + "); }\n";
        }
        return members + (isEnteredInJob() && shape.call() != Call.SUPER ? entry(host) : "");
    }

    private String entry(String host) {
        return "    " + around() + " public Object enter() throws Exception { " + code(recipe.entry(), host, host)
                + " }\n";
    }

    private void base() {
        Type type = shape.type();
        boolean isAbstract = type.overrides() && type != Type.OVERRIDING;
        boolean entered = shape.call() == Call.TEMPLATE
                || (type.inherits() && shape.call().isEntered());
        String implementing = Stream.of(
                        entered && shape.call() != Call.SUPER ? "Seen.Entry" : "", type.inherits() ? recipe.type() : "")
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining(", "));
        String parameters = type.isGeneric() ? parameters().replace("String", "T") : parameters();
        StringBuilder code = new StringBuilder()
                .append(type.isForeign() ? "public " : "")
                .append(isAbstract ? "abstract " : "")
                .append("class Base")
                .append(type.isGeneric() ? "<T>" : "")
                .append(implementing.isEmpty() ? "" : " implements " + implementing)
                .append(" {\n    private final Object state = new Object();\n    ")
                .append(type.isForeign() ? "public " : "")
                .append("Base() { ")
                .append(
                        shape.call() == Call.CONSTRUCTOR && type.inherits()
                                ? type.isGeneric()
                                        ? "@SuppressWarnings(\"unchecked\") T item = (T) \"x\"; " + recipe.name()
                                                + "(item);"
                                        : recipe.name() + "(" + arguments() + ");"
                                : "")
                .append(" }\n");
        if (isAbstract) {
            code.append(method(
                    shape.placement() == Placement.OVERRIDDEN_METHOD ? lock : "",
                    shape.visibility().code() + " abstract",
                    type == Type.IMPLEMENTING_COVARIANT
                            ? "Object"
                            : shape.result().type(),
                    parameters,
                    ";"));
        } else if (type == Type.OVERRIDING) {
            code.append(overridden(parameters));
        } else {
            code.append(body(true, parameters));
        }
        if (type.inherits()) {
            code.append(shape.call() == Call.SUPER ? recipe.members() : generic(members("Base")));
        }
        if (shape.call() == Call.TEMPLATE) {
            code.append(generic(entry("Base")));
        }
        file(
                shape.basePackage(),
                type.isForeign() ? "Base" : "Setup",
                code.append("}\n").toString());
    }

    private String overridden(String parameters) {
        String body = body(false, parameters);
        String plain = body.replaceFirst("\\b(final|synchronized) ", "");
        return shape.placement() == Placement.OVERRIDDEN_METHOD ? "    " + lock + "\n" + plain : plain;
    }

    /** Arguments in a generic class are of its parameter. */
    private String generic(String code) {
        return shape.type().isGeneric() ? code.replace(arguments() + ")", "(T) " + arguments() + ")") : code;
    }

    private void face() {
        Type type = shape.type();
        String extending = type.isInInterface() && !recipe.type().isEmpty() ? " extends " + recipe.type() : "";
        String method = type.isInInterface()
                ? body(true, parameters())
                : method(
                        shape.placement() == Placement.INTERFACE_METHOD ? lock : "",
                        "",
                        shape.result().type(),
                        parameters(),
                        ";");
        String permits = type == Type.OF_SEALED_INTERFACE ? " permits Job" : "";
        file(
                shape.packageName(),
                "Setup",
                (type == Type.OF_SEALED_INTERFACE ? "sealed " : "") + "interface Face" + extending + permits + " {\n"
                        + method + "}\n");
    }

    // The wiring and the calls

    private String jobType() {
        return shape.type() == Type.NESTED ? "Outer.Job" : "Job";
    }

    /** The expression of a new bean in the user's code. */
    private String created() {
        return shape.type() == Type.PRIVATE_CONSTRUCTOR ? "Job.create()" : "new " + jobType() + "()";
    }

    private void setup() {
        String job = jobType();
        String meta = "    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)\n    "
                + ("@DistributedLock(name = \"" + shape.id() + "\""
                        + (shape.signature() == Signature.KEYED ? ", key = \"#item\"" : "") + ")")
                + "\n    public @interface Meta {}\n";
        String attributes = switch (shape.call()) {
            case INIT_METHOD -> "initMethod = \"work\"";
            case DESTROY_METHOD -> "destroyMethod = \"work\"";
            default -> "";
        };
        String definition = switch (shape.call()) {
            case INIT_METHOD -> "definition.setInitMethodName(\"work\"); ";
            case DESTROY_METHOD -> "definition.setDestroyMethodName(\"work\"); ";
            default -> "";
        };
        String className = shape.packageName() + (shape.type() == Type.NESTED ? ".Outer$Job" : ".Job");
        String define = "RootBeanDefinition definition = new RootBeanDefinition(); definition.setBeanClassName(\""
                + className + "\"); " + definition;
        String config = "    @Configuration static class Config { ";
        String beanMethod = "@Bean(" + attributes + ") ";
        String returning = " job() { return " + created() + "; } }\n";
        String members = switch (shape.creation()) {
            case BEAN_METHOD -> config + beanMethod + job + returning;
            case BEAN_METHOD_OF_INTERFACE -> config + beanMethod + "Face" + returning;
            case STATIC_BEAN_METHOD ->
                "    @Configuration(proxyBeanMethods = false) static class Config { " + beanMethod + "static " + job
                        + returning;
            case IMPORTED -> "    @Configuration @Import(" + job + ".class) static class Config {}\n";
            case REGISTRAR ->
                "    @Configuration @Import(Registrar.class) static class Config {}\n"
                        + "    static class Registrar implements org.springframework.beans.factory.BeanRegistrar {"
                        + " public void register(org.springframework.beans.factory.BeanRegistry registry, Environment"
                        + " environment) { registry.registerBean(\"job\", " + job + ".class); } }\n";
            case FACTORY_BEAN ->
                "    static class Factory implements org.springframework.beans.factory.FactoryBean<" + job + "> {"
                        + " public " + job + " getObject() { return " + created() + "; }"
                        + " public Class<?> getObjectType() { return " + job + ".class; } }\n";
            case LOOKUP -> "    static class Other {}\n";
            case CIRCULAR -> "    static class Friend { @Autowired @Qualifier(\"job\") Object job; }\n";
            case EARLY ->
                "    record First() implements org.springframework.beans.factory.config.BeanPostProcessor,"
                        + " org.springframework.core.PriorityOrdered { public int getOrder() { return 0; } }\n"
                        + "    @Configuration static class Config {"
                        + " @Bean static First first(@Qualifier(\"job\") Object job) { return new First(); } }\n";
            default -> "";
        };
        String register = "context.registerBean(\"job\", " + job + ".class); ";
        String code = switch (shape.creation()) {
            case COMPONENT, CONSTRUCTOR_INJECTION, LAZY, CONFIGURATION, PROTOTYPE -> register;
            case SCANNED -> "context.scan(\"" + shape.packageName() + "\"); ";
            case BEAN_METHOD, BEAN_METHOD_OF_INTERFACE, STATIC_BEAN_METHOD, IMPORTED, REGISTRAR ->
                "context.register(Config.class); ";
            case SUPPLIER -> "context.registerBean(\"job\", " + job + ".class, () -> " + created() + "); ";
            case DEFINITION -> define + "context.registerBeanDefinition(\"job\", definition); ";
            case CHILD_DEFINITION ->
                define + "definition.setAbstract(true); context.registerBeanDefinition(\"parent\", definition);"
                        + " context.registerBeanDefinition(\"job\", new ChildBeanDefinition(\"parent\")); ";
            case FACTORY_METHOD ->
                define + "definition.setFactoryMethodName(\"create\");"
                        + " context.registerBeanDefinition(\"job\", definition); ";
            case FACTORY_BEAN -> "context.registerBean(\"job\", Factory.class); ";
            case LOOKUP -> register + "context.registerBean(Other.class); ";
            case CIRCULAR -> register + "context.registerBean(Friend.class); ";
            case SCOPED, SCOPED_BY_INTERFACE ->
                "context.getBeanFactory().registerScope(\"thread\", new"
                        + " org.springframework.context.support.SimpleThreadScope()); " + register;
            case EARLY -> register + "context.register(Config.class); ";
            case REGISTERED_OBJECT -> "context.getBeanFactory().registerSingleton(\"job\", " + created() + "); ";
        };
        if (shape.call() == Call.BY_INJECTION) {
            code += "context.registerBean(" + driverPackage(shape) + ".Driver.Caller.class); ";
        }
        file(
                shape.packageName(),
                "Setup",
                "/** " + shape.name() + " */\npublic class Setup {\n"
                        + (shape.placement() == Placement.META ? meta : "")
                        + members + "    public static void register(AnnotationConfigApplicationContext context) { "
                        + code + "}\n}\n");
    }

    private boolean isCallerForeign() {
        return driverPackage(shape).equals(shape.basePackage()) && shape.type().isForeign();
    }

    /** Returns the package of the caller. Only code in the package of the superclass can call its hidden method. */
    static String driverPackage(Shape shape) {
        return shape.type() == Type.FOREIGN_SUPERCLASS && shape.visibility() != Visibility.PUBLIC
                ? shape.basePackage()
                : shape.packageName();
    }

    private void driver() {
        String job = isCallerForeign() ? "Base" : jobType();
        String caller = shape.call() == Call.BY_INJECTION ? "    public record Caller(" + job + " job) {}\n" : "";
        file(
                driverPackage(shape),
                "Driver",
                "public class Driver {\n" + caller
                        + "    public static Object call(ConfigurableApplicationContext context) throws Exception { "
                        + code(recipe.drive(), job, job) + " }\n}\n");
    }
}
