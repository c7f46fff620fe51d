package dev.holdfast.rewrite;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;

/** Turns calls of Redisson's locks into those of Holdfast's. Only for files whose uses are all known. */
final class RedissonCalls extends JavaVisitor<ExecutionContext> {

    private static final String DURATION = Duration.class.getName();
    private static final String LEASE_LOCK = MoveRedissonLocks.LEASE_LOCK;
    private static final JavaTemplate ZERO = template("Duration.ZERO");
    private static final JavaTemplate OF_UNIT =
            template("Duration.of(#{any(long)}, #{any(java.util.concurrent.TimeUnit)}.toChronoUnit())");
    private static final String LOCK = "#{any(" + LEASE_LOCK + ")}";
    private static final String LEASE = "#{any(" + DURATION + ")}";
    private static final JavaTemplate MAYBE_TRY = Stubs.template("(#{any(long)} > 0 ? " + LOCK + ".tryLock(" + LEASE
            + ", " + LEASE + ") : " + LOCK + ".tryLock(#{any(long)}, #{any(java.util.concurrent.TimeUnit)}))");

    private final RedissonUse use;

    RedissonCalls(RedissonUse use) {
        this.use = use;
    }

    private static JavaTemplate template(String code) {
        return JavaTemplate.builder(code).imports(DURATION).build();
    }

    /** {@return whether a call of a lock says how long the lock is held} */
    static boolean hasLease(J.MethodInvocation call) {
        int arguments = call.getArguments().size();
        return call.getSimpleName().equals("tryLock") ? arguments == 3 : arguments == 2;
    }

    @Override
    public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        J.MethodInvocation visited = (J.MethodInvocation) super.visitMethodInvocation(call, ctx);
        if (Redisson.getsMultiLock(call)) {
            note(Note.REDISSON_MULTI);
            return ofHoldfast(multiLock(visited));
        }
        if (Redisson.getsLock(call)) {
            return ofHoldfast(visited);
        }
        Expression lock = visited.getSelect();
        if (lock == null
                || call.getSelect() == null
                || !Redisson.isLock(call.getSelect().getType())) {
            return visited;
        }
        return switch (call.getSimpleName()) {
            case "getHoldCount" -> renamed(visited, "holdCount");
            case "getName" -> renamed(visited, "name");
            default -> hasLease(visited) ? withLease(visited, lock) : visited;
        };
    }

    private void note(Note note) {
        J member = RedissonUse.member(getCursor());
        if (member != null) {
            Cursor at = getCursor().dropParentUntil(each -> each == member);
            at.putMessage("note", note);
        }
    }

    @Override
    public J visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
        J visited = super.visitMethodDeclaration(method, ctx);
        Note note = getCursor().getMessage("note");
        return note == null ? visited : note.above(visited);
    }

    @Override
    public J visitVariableDeclarations(J.VariableDeclarations declared, ExecutionContext ctx) {
        J visited = super.visitVariableDeclarations(declared, ctx);
        Note note = getCursor().getMessage("note");
        return note == null ? visited : note.above(visited);
    }

    private static J.MethodInvocation renamed(J.MethodInvocation call, String name) {
        JavaType.Method type =
                call.getMethodType() == null ? null : call.getMethodType().withName(name);
        return call.withName(call.getName().withSimpleName(name).withType(type)).withMethodType(type);
    }

    /** The client's variable is renamed later, with its declaration. It is then found by the method's class. */
    private static J.MethodInvocation ofHoldfast(J.MethodInvocation call) {
        JavaType.Method type = call.getMethodType();
        if (type == null) {
            return call;
        }
        JavaType.Method moved = type.withDeclaringType(JavaType.ShallowClass.build(MoveRedissonLocks.LOCK_CLIENT));
        return call.withName(call.getName().withType(moved)).withMethodType(moved);
    }

    private J.MethodInvocation multiLock(J.MethodInvocation call) {
        List<Expression> names = call.getArguments().stream()
                .map(each -> ((J.MethodInvocation) each).getArguments().get(0))
                .toList();
        maybeAddImport(List.class.getName(), false);
        JavaTemplate list = JavaTemplate.builder(
                        names.stream().map(each -> "#{any(String)}").collect(Collectors.joining(", ", "List.of(", ")")))
                .imports(List.class.getName())
                .build();
        Expression first = call.getArguments().get(0);
        Expression listed = list.apply(
                new Cursor(getCursor(), first), first.getCoordinates().replace(), names.toArray());
        return call.withArguments(List.of(listed.withPrefix(Space.EMPTY)));
    }

    private J withLease(J.MethodInvocation call, Expression lock) {
        List<Expression> arguments = call.getArguments();
        Expression unit = arguments.get(arguments.size() - 1);
        Expression lease = arguments.get(arguments.size() - 2);
        boolean isTry = call.getSimpleName().equals("tryLock");
        return switch (RedissonLease.of(lease, unit, use.constants())) {
            case RENEWED ->
                isTry ? withArguments(call, List.of(arguments.get(0), unit)) : withArguments(call, List.of());
            case FIXED, REFUSED -> withArguments(call, durations(call));
            case UNKNOWN -> {
                note(Note.REDISSON_LEASE_UNKNOWN);
                yield isTry ? maybeTry(call, lock, lease, unit) : maybeLock(call, lock, lease);
            }
        };
    }

    private static J.MethodInvocation withArguments(J.MethodInvocation call, List<Expression> arguments) {
        JavaType.Method type = call.getMethodType();
        List<JavaType> types = arguments.stream()
                .map(each -> each.getType() == null ? JavaType.Unknown.getInstance() : each.getType())
                .toList();
        List<String> names = new ArrayList<>();
        arguments.forEach(each -> names.add("arg" + names.size()));
        JavaType.Method changed =
                type == null ? null : type.withParameterTypes(types).withParameterNames(names);
        List<Expression> placed = new ArrayList<>();
        for (Expression each : arguments) {
            placed.add(each.withPrefix(placed.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE));
        }
        return call.withArguments(placed)
                .withMethodType(changed)
                .withName(call.getName().withType(changed));
    }

    /** Replaces the numbers before the unit by durations. */
    private List<Expression> durations(J.MethodInvocation call) {
        List<Expression> arguments = call.getArguments();
        Expression unit = arguments.get(arguments.size() - 1);
        List<Expression> durations = new ArrayList<>();
        for (Expression each : arguments.subList(0, arguments.size() - 1)) {
            durations.add(duration(each, unit));
        }
        maybeAddImport(DURATION, false);
        TimeUnit known = RedissonLease.unit(unit);
        if (known != null && known != TimeUnit.MICROSECONDS) {
            maybeRemoveImport(TimeUnit.class.getName());
            maybeRemoveImport(TimeUnit.class.getName() + "." + known.name());
        }
        return durations;
    }

    private Expression duration(Expression amount, Expression unit) {
        Cursor at = new Cursor(getCursor(), amount);
        Long number = MoveAnnotation.number(amount);
        if (number != null && number <= 0) {
            return ZERO.apply(at, amount.getCoordinates().replace());
        }
        String factory = factory(RedissonLease.unit(unit));
        return factory == null
                ? OF_UNIT.apply(at, amount.getCoordinates().replace(), amount, unit)
                : template("Duration." + factory + "(#{any(long)})")
                        .apply(at, amount.getCoordinates().replace(), amount);
    }

    private static @Nullable String factory(@Nullable TimeUnit unit) {
        if (unit == null || unit == TimeUnit.MICROSECONDS) {
            return null;
        }
        return switch (unit) {
            case NANOSECONDS -> "ofNanos";
            case MILLISECONDS -> "ofMillis";
            case MINUTES -> "ofMinutes";
            case HOURS -> "ofHours";
            case DAYS -> "ofDays";
            default -> "ofSeconds";
        };
    }

    private J maybeTry(J.MethodInvocation call, Expression lock, Expression lease, Expression unit) {
        List<Expression> durations = durations(call);
        return MAYBE_TRY.apply(
                new Cursor(getCursor().getParentOrThrow(), call),
                call.getCoordinates().replace(),
                lease,
                lock,
                durations.get(0),
                durations.get(1),
                lock,
                call.getArguments().get(0),
                unit);
    }

    private J maybeLock(J.MethodInvocation call, Expression lock, Expression lease) {
        String name = "." + call.getSimpleName() + "(";
        JavaTemplate template = Stubs.template(
                "if (#{any(long)} > 0) {\n" + LOCK + name + LEASE + ");\n} else {\n" + LOCK + name + ");\n}");
        return template.apply(
                new Cursor(getCursor().getParentOrThrow(), call),
                call.getCoordinates().replace(),
                lease,
                lock,
                durations(call).get(0),
                lock);
    }
}
