package dev.holdfast.lock.spring.shape;

import static dev.holdfast.lock.spring.shape.Recipe.inside;
import static dev.holdfast.lock.spring.shape.Recipe.outside;
import static dev.holdfast.lock.spring.shape.Recipe.spring;

/** The way in which the method is called. */
enum Call {
    BY_CLASS(At.ANY_TIME, outside("JOB job = context.getBean(JOB.class); CALL(job)")),
    BY_INJECTION(At.ANY_TIME, outside("JOB job = context.getBean(Caller.class).job(); CALL(job)")),
    BY_PROVIDER(At.ANY_TIME, outside("JOB job = context.getBeanProvider(JOB.class).getObject(); CALL(job)")),
    BY_REFERENCE(
            At.ANY_TIME,
            outside("Seen.Action action = context.getBean(JOB.class)::NAME; action.run(); return null;")
                    .returns(Result.VOID)),
    BY_INTERFACE(At.ANY_TIME, outside("Face job = context.getBean(Face.class); CALL(job)")),

    THIS(At.ANY_TIME, inside("CALL(this)")),
    THIS_REFERENCE(
            At.ANY_TIME,
            inside("Seen.Action action = this::NAME; action.run(); return null;")
                    .returns(Result.VOID)),
    LAMBDA(At.ANY_TIME, inside("Seen.Entry later = () -> { CALL(this) }; return later.enter();")),
    INNER_CLASS(
            At.ANY_TIME,
            inside("return new Seen.Entry() { public Object enter() throws Exception { CALL(HOST.this) } }.enter();")),
    SUPER(At.ANY_TIME, inside("CALL(super)").hidden()),
    /** The superclass calls the method of its subclass. */
    TEMPLATE(At.ANY_TIME, inside("CALL(this)").hidden()),
    OWN_THREAD(
            At.ANY_TIME,
            inside("Thread thread = new Thread(this); thread.start(); thread.join(); return null;")
                    .method("run", "")
                    .in("Runnable")
                    .returns(Result.VOID)
                    .publicly()),
    EXTENDED_THREAD(
            At.ANY_TIME,
            inside("start(); join(); return null;")
                    .method("run", "")
                    .under("java.lang.Thread")
                    .returns(Result.VOID)
                    .publicly()),

    CONSTRUCTOR(At.CREATION, inside("").drivenBy("return null;").returns(Result.VOID, Result.STRING, Result.FUTURE)),
    POST_CONSTRUCT(
            At.CREATION, spring().annotated("@jakarta.annotation.PostConstruct").anyVisibility()),
    POST_CONSTRUCT_THIS(
            At.CREATION, inside("").drivenBy("return null;").returns(Result.VOID, Result.STRING, Result.FUTURE)),
    AFTER_PROPERTIES_SET(
            At.CREATION,
            spring().method("afterPropertiesSet", "").in("org.springframework.beans.factory.InitializingBean")),
    INIT_METHOD(At.CREATION, spring().anyVisibility()),
    BEAN_NAME(
            At.CREATION,
            spring().method("setBeanName", "String name").in("org.springframework.beans.factory.BeanNameAware")),
    APPLICATION_CONTEXT(
            At.CREATION,
            spring().method("setApplicationContext", "ApplicationContext context")
                    .in("org.springframework.context.ApplicationContextAware")),
    AUTOWIRED(
            At.CREATION,
            spring().annotated("@Autowired")
                    .parameters("Environment environment")
                    .anyVisibility()),
    VALUE(
            At.CREATION,
            spring().annotated("@Value(\"text\")").parameters("String text").anyVisibility()),
    RESOURCE(
            At.CREATION,
            spring().annotated("@jakarta.annotation.Resource")
                    .method("setEnvironment", "Environment environment")
                    .anyVisibility()),
    SINGLETONS_CREATED(
            At.START,
            spring().method("afterSingletonsInstantiated", "")
                    .in("org.springframework.beans.factory.SmartInitializingSingleton")),

    PRE_DESTROY(At.END, spring().annotated("@jakarta.annotation.PreDestroy").anyVisibility()),
    DESTROY(At.END, spring().method("destroy", "").in("org.springframework.beans.factory.DisposableBean")),
    DESTROY_METHOD(At.END, spring().anyVisibility()),
    CLOSE(At.END, spring().method("close", "").in("AutoCloseable")),
    INFERRED_CLOSE(At.END, spring().method("close", "")),
    INFERRED_SHUTDOWN(At.END, spring().method("shutdown", "")),

    LIFECYCLE_START(
            At.START,
            spring().method("start", "")
                    .in("org.springframework.context.SmartLifecycle")
                    .members("public void stop() {} public boolean isRunning() { return false; }")),
    LIFECYCLE_STOP(
            At.STOP,
            spring().method("stop", "")
                    .in("org.springframework.context.SmartLifecycle")
                    .members("public void start() {} public boolean isRunning() { return true; }")),
    SCHEDULED(
            At.START,
            spring().annotated("@org.springframework.scheduling.annotation.Scheduled(fixedDelay = 3600_000)")
                    .returns(Result.VOID, Result.STRING, Result.MONO, Result.FLUX)
                    .hidden()),
    EVENT_LISTENER(
            At.ANY_TIME,
            spring("context.publishEvent(new Seen.Happened(\"SHAPE\")); return null;")
                    .annotated("@org.springframework.context.event.EventListener")
                    .parameters("Seen.Happened event")
                    .returns(Result.VOID, Result.FUTURE, Result.MONO, Result.FLUX)
                    .hidden()),
    TRANSACTIONAL_EVENT_LISTENER(
            At.ANY_TIME,
            spring("context.publishEvent(new Seen.Happened(\"SHAPE\")); return null;")
                    .annotated(
                            "@org.springframework.transaction.event.TransactionalEventListener(fallbackExecution = true)")
                    .parameters("Seen.Happened event")
                    .hidden()),
    APPLICATION_LISTENER(
            At.ANY_TIME,
            spring("context.publishEvent(new Seen.Happened(\"SHAPE\")); return null;")
                    .method(
                            "onApplicationEvent",
                            "org.springframework.context.PayloadApplicationEvent<Seen.Happened> event")
                    .in(
                            "org.springframework.context.ApplicationListener<org.springframework.context.PayloadApplicationEvent<Seen.Happened>>")),
    RUNNER(
            At.ANY_TIME,
            spring("context.getBean(org.springframework.boot.ApplicationRunner.class).run(null); return null;")
                    .method("run", "org.springframework.boot.ApplicationArguments arguments")
                    .in("org.springframework.boot.ApplicationRunner")),
    COMMAND_LINE_RUNNER(
            At.ANY_TIME,
            spring("context.getBean(org.springframework.boot.CommandLineRunner.class).run(\"x\"); return null;")
                    .method("run", "String... arguments")
                    .in("org.springframework.boot.CommandLineRunner")),
    EXECUTOR(
            At.ANY_TIME,
            spring("CompletableFuture.runAsync(context.getBean(Runnable.class)).join(); return null;")
                    .method("run", "")
                    .in("Runnable")),
    /** A default method of the interface calls the method. */
    DEFAULT_METHOD(
            At.ANY_TIME,
            spring("context.getBean(java.util.function.Consumer.class).andThen(any -> {}).accept(\"x\"); return null;")
                    .method("accept", "String item")
                    .in("java.util.function.Consumer<String>")),
    FILTER(
            At.ANY_TIME,
            spring("context.getBean(jakarta.servlet.Filter.class)"
                            + ".doFilter(new org.springframework.mock.web.MockHttpServletRequest(),"
                            + " new org.springframework.mock.web.MockHttpServletResponse(), (request, response) -> {});"
                            + " return null;")
                    .method(
                            "doFilterInternal",
                            "jakarta.servlet.http.HttpServletRequest request,"
                                    + " jakarta.servlet.http.HttpServletResponse response,"
                                    + " jakarta.servlet.FilterChain chain")
                    .under("org.springframework.web.filter.OncePerRequestFilter")
                    .inherited()),
    HASH_CODE(
            At.ANY_TIME,
            spring("context.getBean(\"job\").hashCode(); return null;")
                    .method("hashCode", "")
                    .returns(Result.INT)),
    TO_STRING(
            At.ANY_TIME,
            spring("context.getBean(\"job\").toString(); return null;")
                    .method("toString", "")
                    .returns(Result.STRING)),

    BEAN_METHOD(
            At.CREATION,
            spring().annotated("@org.springframework.context.annotation.Bean")
                    .returns(Result.OBJECT)
                    .hidden()),
    GET_OBJECT(
            At.ANY_TIME,
            spring("context.getBean(StringBuilder.class); return null;")
                    .method("getObject", "")
                    .returns(Result.OBJECT)
                    .in("org.springframework.beans.factory.FactoryBean<StringBuilder>")
                    .members("public Class<?> getObjectType() { return StringBuilder.class; }")),
    FACTORY_POST_PROCESSOR(
            At.CREATION,
            spring().method(
                            "postProcessBeanFactory",
                            "org.springframework.beans.factory.config.ConfigurableListableBeanFactory beans")
                    .in("org.springframework.beans.factory.config.BeanFactoryPostProcessor")),
    BEAN_POST_PROCESSOR(
            At.ANY_TIME,
            spring("context.getAutowireCapableBeanFactory().initializeBean(new Object(), \"any\"); return null;")
                    .method("postProcessAfterInitialization", "Object bean, String name")
                    .returns(Result.FIRST)
                    .in("org.springframework.beans.factory.config.BeanPostProcessor"));

    private enum At {
        CREATION,
        START,
        ANY_TIME,
        STOP,
        END
    }

    private final At at;
    private final Recipe recipe;

    Call(At at, Recipe recipe) {
        this.at = at;
        this.recipe = recipe;
    }

    Recipe recipe() {
        return recipe;
    }

    /** Whether Spring calls the method while it creates the bean. */
    boolean isAtCreation() {
        return at == At.CREATION;
    }

    /** Whether Spring calls the method while it destroys the bean. */
    boolean isAtEnd() {
        return at == At.END;
    }

    /** Whether the method is a callback of the bean's life, and does not run because the object calls it. */
    boolean isCallback() {
        return isAtEnd() || (isAtCreation() && this != CONSTRUCTOR && this != POST_CONSTRUCT_THIS);
    }

    /** Whether Spring calls the method while it closes the context. */
    boolean isAtClose() {
        return at == At.END || at == At.STOP;
    }

    /** Whether only singletons that exist from the start are called. */
    boolean needsSingleton() {
        return at == At.START && this != SCHEDULED || at == At.STOP || this == SINGLETONS_CREATED || isPostProcessor();
    }

    boolean isPostProcessor() {
        return this == FACTORY_POST_PROCESSOR || this == BEAN_POST_PROCESSOR;
    }

    boolean isInjection() {
        return this == AUTOWIRED || this == VALUE || this == RESOURCE;
    }

    /** Whether the call reaches the object even if there is a proxy around it. */
    boolean isPastProxy() {
        return isEntered()
                || isAtCreation()
                || isAtEnd()
                || this == LIFECYCLE_STOP
                || this == DEFAULT_METHOD
                || this == FILTER;
    }

    /** Whether Spring finds the method by its annotation and calls it through the proxy. */
    boolean isAnnotatedForProxy() {
        return this == SCHEDULED || this == EVENT_LISTENER || this == TRANSACTIONAL_EVENT_LISTENER;
    }

    /** Whether an annotation makes the method a callback of the bean's life. */
    boolean isByLifeAnnotation() {
        return isInjection() || this == POST_CONSTRUCT || this == POST_CONSTRUCT_THIS || this == PRE_DESTROY;
    }

    boolean isLifecycle() {
        return this == LIFECYCLE_START || this == LIFECYCLE_STOP;
    }

    /** Whether the caller has a bean of the class or interface. */
    boolean isOutside() {
        return compareTo(BY_INTERFACE) <= 0;
    }

    /** Whether the caller has the class, and not only an interface. */
    boolean isByClass() {
        return isOutside() && this != BY_INTERFACE;
    }

    /** Whether the test enters the object by its method {@code enter}. */
    boolean isEntered() {
        return !recipe.entry().isEmpty();
    }

    /** Whether the name of the method is free. */
    boolean isNameFree() {
        return recipe.name().equals("work");
    }
}
