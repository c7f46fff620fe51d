package dev.holdfast.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.srcTestJava;
import static org.openrewrite.properties.Assertions.properties;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.openrewrite.test.SourceSpecs;

class FromRedissonLocksTest extends Migration {

    FromRedissonLocksTest() {
        super(new FromRedissonLocks());
    }

    /** A bean with a client that its constructor takes. */
    private static String orders(String imports, String body) {
        return """
                %simport org.redisson.api.RLock;
                import org.redisson.api.RedissonClient;

                class Orders {

                    private final RedissonClient redisson;

                    Orders(RedissonClient redisson) {
                        this.redisson = redisson;
                    }

                    void place(String order, long wait, long lease, TimeUnit unit) throws InterruptedException {
                        RLock lock = redisson.getLock("order:" + order);
                        %s
                    }
                }
                """.formatted(imports, body);
    }

    private static String moved(String imports, String note, String body) {
        return """
                %simport dev.holdfast.lock.LeaseLock;
                import dev.holdfast.lock.LockClient;

                %s
                class Orders {

                    private final LockClient lockClient;

                    Orders(LockClient lockClient) {
                        this.lockClient = lockClient;
                    }

                    %svoid place(String order, long wait, long lease, TimeUnit unit) throws InterruptedException {
                        LeaseLock lock = lockClient.getLock("order:" + order);
                        %s
                    }
                }
                """.formatted(imports, Note.REDISSON_MOVED.line(), note, body);
    }

    private static final String UNIT = "import java.util.concurrent.TimeUnit;\n";
    private static final String DURATION = "import java.time.Duration;\n";

    private static String movedBody(String body) {
        return moved((body.contains("Duration") ? DURATION : "") + UNIT + "\n", "", body);
    }

    private static SourceSpecs moves(String body, String movedBody) {
        return java(orders(UNIT, body), movedBody(movedBody));
    }

    private static String explained(Note note, String body) {
        return orders(UNIT, body).replace("    void place", "    " + note.line() + "\n    void place");
    }

    private static SourceSpecs stays(Note note, String body) {
        return java(orders(UNIT, body), explained(note, body));
    }

    /** Bodies that do not exclude each other are one application, each in a package of its own, because a run costs more than a file. */
    private static SourceSpecs[] each(String[][] cases, BinaryOperator<String> before, BinaryOperator<String> after) {
        return IntStream.range(0, cases.length)
                .mapToObj(n -> {
                    String place = "package p" + n + ";\n\n";
                    return java(
                            place + before.apply(cases[n][0], cases[n][1]),
                            place + after.apply(cases[n][0], cases[n][1]));
                })
                .toArray(SourceSpecs[]::new);
    }

    @Test
    void callsBecomeThoseOfHoldfast() {
        String[][] bodies = {
            {"lock.lock(); lock.unlock();", "lock.lock(); lock.unlock();"},
            {"lock.lock(30, TimeUnit.SECONDS);", "lock.lock(Duration.ofSeconds(30));"},
            {"lock.lock(-1, TimeUnit.SECONDS);", "lock.lock();"},
            {"lock.lockInterruptibly(500, TimeUnit.MILLISECONDS);", "lock.lockInterruptibly(Duration.ofMillis(500));"},
            {"boolean ok = lock.tryLock();", "boolean ok = lock.tryLock();"},
            {"boolean ok = lock.tryLock(wait, TimeUnit.SECONDS);", "boolean ok = lock.tryLock(wait, TimeUnit.SECONDS);"
            },
            {
                "boolean ok = lock.tryLock(wait, 60, TimeUnit.SECONDS);",
                "boolean ok = lock.tryLock(Duration.ofSeconds(wait), Duration.ofSeconds(60));"
            },
            {
                "boolean ok = lock.tryLock(0, 2 * 60, TimeUnit.SECONDS);",
                "boolean ok = lock.tryLock(Duration.ZERO, Duration.ofSeconds(2 * 60));"
            },
            {"boolean ok = lock.tryLock(wait, -1, unit);", "boolean ok = lock.tryLock(wait, unit);"},
            {
                "boolean ok = lock.isLocked() && lock.isHeldByCurrentThread();",
                "boolean ok = lock.isLocked() && lock.isHeldByCurrentThread();"
            },
            {
                "System.out.println(lock.getName() + lock.getHoldCount());",
                "System.out.println(lock.name() + lock.holdCount());"
            },
        };
        rewriteRun(each(bodies, (body, moved) -> orders(UNIT, body), (body, moved) -> movedBody(moved)));
    }

    @Test
    void leaseThatIsNotKnownIsRenewedIfItIsNone() {
        rewriteRun(java(
                orders(UNIT, "boolean ok = lock.tryLock(wait, lease, unit);"),
                moved(
                        DURATION + UNIT + "\n",
                        Note.REDISSON_LEASE_UNKNOWN.line() + "\n    ",
                        "boolean ok = (lease > 0 ? lock.tryLock(Duration.of(wait, unit.toChronoUnit()), Duration.of(lease, unit.toChronoUnit()))"
                                + " : lock.tryLock(wait, unit));")));
    }

    @Test
    void holdOfALeaseThatIsNotKnownIsRenewedIfItIsNone() {
        rewriteRun(java(
                orders(UNIT, "lock.lock(lease, TimeUnit.SECONDS);"),
                moved(DURATION + UNIT + "\n", Note.REDISSON_LEASE_UNKNOWN.line() + "\n    ", """
                        if (lease > 0) {
                                    lock.lock(Duration.ofSeconds(lease));
                                } else {
                                    lock.lock();
                                }""")));
    }

    @Test
    void whatHasNoCounterpartStays() {
        String[][] bodies = {
            {"REDISSON_LEASE", "lock.lock(2, TimeUnit.DAYS);"},
            {"REDISSON_LEASE", "lock.lock(1, TimeUnit.MILLISECONDS);"},
            {"REDISSON_LEASE", "lock.lock(System.nanoTime(), TimeUnit.MILLISECONDS);"},
            {"REDISSON_API", "lock.forceUnlock();"},
            {"REDISSON_API", "lock.lockAsync();"},
            {"REDISSON_API", "long left = lock.remainTimeToLive();"},
            {"REDISSON_API", "RLock spin = redisson.getSpinLock(order);"},
            {"REDISSON_API", "RLock both = redisson.getMultiLock(lock, redisson.getLock(order));"},
        };
        rewriteRun(
                each(bodies, (note, body) -> orders(UNIT, body), (note, body) -> explained(Note.valueOf(note), body)));
    }

    @Test
    void noLockMovesWhileOneStays() {
        rewriteRun(
                stays(Note.REDISSON_API, "lock.forceUnlock();"),
                java(orders(UNIT, "lock.lock();").replace("Orders", "Invoices")));
    }

    @Test
    void classThatUsesMoreOfRedissonKeepsItsClient() {
        rewriteRun(java("""
                import org.redisson.api.RLock;
                import org.redisson.api.RedissonClient;
                import org.springframework.beans.factory.annotation.Autowired;

                class Orders {

                    @Autowired
                    private RedissonClient redisson;

                    long place() {
                        RLock lock = redisson.getFairLock("order");
                        lock.lock();
                        return redisson.getAtomicLong("orders").incrementAndGet();
                    }
                }

                class Invoices {

                    private final RedissonClient redisson;

                    Invoices(RedissonClient redisson) {
                        this.redisson = redisson;
                    }

                    void send() {
                        redisson.getReadWriteLock("invoice").writeLock().lock();
                    }
                }
                """, """
                import dev.holdfast.lock.LeaseLock;
                import dev.holdfast.lock.LockClient;
                import org.redisson.api.RedissonClient;
                import org.springframework.beans.factory.annotation.Autowired;

                %1$s
                class Orders {

                    @Autowired
                    private RedissonClient redisson;

                    @Autowired
                    private LockClient lockClient;

                    long place() {
                        LeaseLock lock = lockClient.getFairLock("order");
                        lock.lock();
                        return redisson.getAtomicLong("orders").incrementAndGet();
                    }
                }

                %1$s
                class Invoices {

                    private final RedissonClient redisson;

                    private final LockClient lockClient;

                    Invoices(RedissonClient redisson, LockClient lockClient) {
                        this.redisson = redisson;
                        this.lockClient = lockClient;
                    }

                    void send() {
                        lockClient.getReadWriteLock("invoice").writeLock().lock();
                    }
                }
                """.formatted(Note.REDISSON_MOVED.line())));
    }

    @Test
    void classThatHasHoldfastsClientUsesIt() {
        String orders = """
                import dev.holdfast.lock.LockClient;
                import org.redisson.api.RedissonClient;

                %sclass Orders {

                    private final LockClient locks;
                    private final RedissonClient redisson;

                    Orders(LockClient locks, RedissonClient redisson) {
                        this.locks = locks;
                        this.redisson = redisson;
                    }

                    void place() {
                        %s.getLock("order").lock();
                    }
                }
                """;
        rewriteRun(
                java(orders.formatted("", "redisson"), orders.formatted(Note.REDISSON_MOVED.line() + "\n", "locks")));
    }

    @Test
    void lockInAFieldMoves() {
        rewriteRun(java("""
                import java.util.concurrent.locks.Lock;
                import org.redisson.api.RReadWriteLock;
                import org.redisson.api.RedissonClient;

                class Catalog {

                    private final RReadWriteLock locks;
                    private final Lock import_;

                    Catalog(RedissonClient redisson) {
                        locks = redisson.getReadWriteLock("catalog");
                        import_ = redisson.getLock("import");
                    }

                    void read() {
                        locks.readLock().lock();
                    }
                }
                """, """
                import java.util.concurrent.locks.Lock;

                import dev.holdfast.lock.LeaseReadWriteLock;
                import dev.holdfast.lock.LockClient;

                %s
                class Catalog {

                    private final LeaseReadWriteLock locks;
                    private final Lock import_;

                    Catalog(LockClient lockClient) {
                        locks = lockClient.getReadWriteLock("catalog");
                        import_ = lockClient.getLock("import");
                    }

                    void read() {
                        locks.readLock().lock();
                    }
                }
                """.formatted(Note.REDISSON_MOVED.line())));
    }

    @Test
    void interfaceThatOnlyNamesLocksMovesWithItsUsers() {
        rewriteRun(moves("lock.lock();", "lock.lock();"), java("""
                import org.redisson.api.RLock;

                interface Locker {

                    RLock lock(String key);
                }
                """, """
                import dev.holdfast.lock.LeaseLock;

                interface Locker {

                    LeaseLock lock(String key);
                }
                """));
    }

    @Test
    void severalNamesBecomeOneLock() {
        rewriteRun(java(
                orders(UNIT, "redisson.getMultiLock(redisson.getLock(order), redisson.getLock(\"stock\")).lock();"),
                moved(
                        "import java.util.List;\n" + UNIT + "\n",
                        Note.REDISSON_MULTI.line() + "\n    ",
                        "lockClient.getMultiLock(List.of(order, \"stock\")).lock();")));
    }

    @Test
    void aspectOfTheProjectStaysUnderHoldfastsLock() {
        String aspect = """
                %simport org.aspectj.lang.ProceedingJoinPoint;
                import org.aspectj.lang.annotation.Around;
                import org.aspectj.lang.annotation.Aspect;
                %s
                %s@Aspect
                class LockAspect {

                    @interface Locked {
                        String value();
                        long waitTime() default 5;
                        long leaseTime() default -1;
                    }

                    private final %s;

                    LockAspect(%s) {
                        this.%5$s = %5$s;
                    }

                    %s@Around("@annotation(locked)")
                    Object around(ProceedingJoinPoint call, Locked locked) throws Throwable {
                        %s lock = %s.getLock(locked.value());
                        if (!%s) {
                            throw new IllegalStateException(locked.value());
                        }
                        try {
                            return call.proceed();
                        } finally {
                            lock.unlock();
                        }
                    }
                }
                """;
        String before = aspect.replace("%5$s", "redisson")
                .formatted(
                        UNIT,
                        "import org.redisson.api.RLock;\nimport org.redisson.api.RedissonClient;\n",
                        "",
                        "RedissonClient redisson",
                        "RedissonClient redisson",
                        "",
                        "RLock",
                        "redisson",
                        "lock.tryLock(locked.waitTime(), locked.leaseTime(), TimeUnit.SECONDS)");
        String after = aspect.replace("%5$s", "lockClient")
                .formatted(
                        DURATION + UNIT
                                + "\nimport dev.holdfast.lock.LeaseLock;\nimport dev.holdfast.lock.LockClient;\n",
                        "",
                        Note.REDISSON_MOVED.line() + "\n" + Note.REDISSON_ASPECT.line() + "\n",
                        "LockClient lockClient",
                        "LockClient lockClient",
                        Note.REDISSON_LEASE_UNKNOWN.line() + "\n    ",
                        "LeaseLock",
                        "lockClient",
                        "(locked.leaseTime() > 0 ? lock.tryLock(Duration.ofSeconds(locked.waitTime()), Duration.ofSeconds(locked.leaseTime()))"
                                + " : lock.tryLock(locked.waitTime(), TimeUnit.SECONDS))");
        rewriteRun(java(before, after));
    }

    @Test
    void classThatOtherCodeCreatesKeepsAllLocks() {
        String before = orders(UNIT, "lock.lock();");
        rewriteRun(
                java(before, before.replace("class Orders", Note.REDISSON_CREATED.line() + "\nclass Orders")),
                srcTestJava(java("""
                        import org.redisson.api.RedissonClient;

                        class OrdersTest {

                            Orders orders(RedissonClient redisson) {
                                return new Orders(redisson);
                            }
                        }
                        """)));
    }

    @Test
    void clientThatSpringDoesNotPassKeepsAllLocks() {
        String shop = """
                import org.redisson.Redisson;
                import org.redisson.api.RedissonClient;

                %sclass Shop {

                    void open() {
                        RedissonClient redisson = Redisson.create();
                        redisson.getLock("shop").lock();
                    }
                }
                """;
        rewriteRun(java(shop.formatted(""), shop.formatted(Note.REDISSON_CLIENT.line() + "\n")));
    }

    @Test
    void exceptionOfRedissonKeepsAllLocks() {
        String imports = UNIT + "import org.redisson.client.RedisException;\n";
        String body = "try { lock.lock(); } catch (RedisException e) { throw new IllegalStateException(e); }";
        String before = orders(imports, body)
                .replaceFirst(
                        "import org.redisson.client.RedisException;\n(.*\n.*\n)",
                        "$1import org.redisson.client.RedisException;\n");
        rewriteRun(java(
                before,
                before.replace("    void place", "    " + Note.REDISSON_EXCEPTION.line() + "\n    void place")));
    }

    @Test
    void mappedNamesKeepAllLocksUntilThePrefixIsSet() {
        SourceSpecs mapper = java("""
                import org.redisson.config.NameMapper;
                import org.redisson.config.Config;

                class Servers {

                    void configure(Config config, NameMapper mapper) {
                        config.setNameMapper(mapper);
                    }
                }
                """);
        String before = orders(UNIT, "lock.lock();");
        rewriteRun(
                mapper, java(before, before.replace("class Orders", Note.REDISSON_MAPPER.line() + "\nclass Orders")));
        rewriteRun(
                mapper,
                properties("holdfast.key-prefix=shop:", spec -> spec.path("src/main/resources/application.properties")),
                moves("lock.lock();", "lock.lock();"));
    }

    @Test
    void settingOfRedissonsLocksGetsAComment() {
        String servers = """
                import org.redisson.config.Config;

                class Servers {

                    %svoid configure(Config config) {
                        config.setLockWatchdogTimeout(10_000);
                    }
                }
                """;
        rewriteRun(
                java(servers.formatted(""), servers.formatted(Note.REDISSON_SETTINGS.line() + "\n    ")),
                moves("lock.lock();", "lock.lock();"));
    }

    @Test
    void testOfRedissonsLocksGetsAComment() {
        String test = """
                import org.redisson.api.RLock;

                %sclass OrdersTest {

                    RLock lock;
                }
                """;
        rewriteRun(
                moves("lock.lock();", "lock.lock();"),
                srcTestJava(java(test.formatted(""), test.formatted(Note.REDISSON_TEST.line() + "\n"))));
    }

    private static final String REDISSON = "org.redisson:redisson-spring-boot-starter:4.7.0";

    @Test
    void dependencyIsReplacedWithTheLastUse() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                moves("lock.lock();", "lock.lock();"),
                pom(List.of(REDISSON), List.of(STARTER)));
    }

    @Test
    void dependencyStaysBesideHoldfastWhileOthersNeedIt() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                moves("lock.lock();", "lock.lock();"),
                java("""
                        import org.springframework.data.redis.core.StringRedisTemplate;

                        class Carts {

                            StringRedisTemplate carts;
                        }
                        """),
                pom(List.of(REDISSON), List.of(REDISSON, STARTER)));
    }
}
