package dev.holdfast.rewrite;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Turns {@code @SchedulerLock} into {@code @DistributedLock} where that means the same, or into {@code @OncePerTick} on request. */
final class MoveSchedulerLocks extends ScanningRecipe<MoveSchedulerLocks.Application> {

    private static final String ONCE_PER_TICK = "dev.holdfast.lock.spring.OncePerTick";
    private static final String ON_BUSY = "dev.holdfast.lock.spring.OnBusy";
    private static final String ON_LOST = "dev.holdfast.lock.spring.OnLost";
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(24);

    private final boolean renewed;
    private final boolean oncePerTick;

    @JsonCreator
    MoveSchedulerLocks(@JsonProperty("renewed") boolean renewed, @JsonProperty("oncePerTick") boolean oncePerTick) {
        this.renewed = renewed;
        this.oncePerTick = oncePerTick;
    }

    /** What the whole application says about its locks. */
    static final class Application {

        /** A provider of ShedLock remains. A job under Holdfast would not exclude one under it. */
        private boolean hasOtherProvider;

        private boolean choosesProviders;
        private final List<J.Annotation> enabled = new ArrayList<>();

        /** {@return a default that all jobs have, null if there is none or no way to write it elsewhere} */
        private @Nullable Expression fallback(String attribute) {
            Expression found = enabled.size() == 1 ? Trees.attribute(enabled.get(0), attribute) : null;
            return Trees.literal(found) == null ? null : found;
        }

        private boolean locksOnlyCallsOfTheScheduler() {
            return enabled.stream()
                    .map(each -> Trees.attribute(each, "interceptMode"))
                    .anyMatch(mode -> mode != null && mode.toString().contains("PROXY_SCHEDULER"));
        }
    }

    @Override
    public String getDisplayName() {
        return "Replace `@SchedulerLock` by `@DistributedLock`";
    }

    @Override
    public String getDescription() {
        return "Only where both mean the same. Other jobs keep `@SchedulerLock` and get a comment.";
    }

    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public Application getInitialValue(ExecutionContext ctx) {
        return new Application();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Application application) {
        return new JavaIsoVisitor<>() {

            private boolean isJava;

            @Override
            public @Nullable J visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof SourceFile source) {
                    isJava = tree instanceof J.CompilationUnit;
                    if (Sources.isTest(source) || !(tree instanceof JavaSourceFile)) {
                        return (J) tree;
                    }
                }
                return super.visit(tree, ctx);
            }

            @Override
            public J.NewClass visitNewClass(J.NewClass created, ExecutionContext ctx) {
                J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
                application.hasOtherProvider |= ShedLock.createsProvider(created)
                        && (!isJava || method == null || !ShedLock.isBeanMethod(method));
                return super.visitNewClass(created, ctx);
            }

            @Override
            public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
                if (TypeUtils.isOfClassType(annotation.getType(), ShedLock.ENABLE)) {
                    application.enabled.add(annotation);
                }
                application.choosesProviders |= TypeUtils.isOfClassType(annotation.getType(), ShedLock.CHOSEN_PROVIDER)
                        && getCursor().firstEnclosing(J.ClassDeclaration.class) == null;
                return super.visitAnnotation(annotation, ctx);
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Application application) {
        return application.hasOtherProvider ? TreeVisitor.noop() : new Mover(application);
    }

    private final class Mover extends JavaIsoVisitor<ExecutionContext> {

        private final Application application;

        private Mover(Application application) {
            this.application = application;
        }

        @Override
        public boolean isAcceptable(SourceFile source, ExecutionContext ctx) {
            return source instanceof J.CompilationUnit;
        }

        @Override
        public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext ctx) {
            J.ClassDeclaration visited = super.visitClassDeclaration(type, ctx);
            return Trees.find(visited.getLeadingAnnotations(), ShedLock.LOCK) == null
                    ? visited
                    : Note.META.above(visited);
        }

        @Override
        public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
            J.MethodDeclaration visited = super.visitMethodDeclaration(method, ctx);
            J.Annotation lock = Trees.find(visited.getLeadingAnnotations(), ShedLock.LOCK);
            if (lock == null) {
                return visited;
            }
            Note reason = reasonToStay(visited, lock);
            if (reason != null) {
                return reason.above(visited);
            }
            boolean isJob = becomesJob(visited, lock);
            String annotation = isJob ? ONCE_PER_TICK : MoveAnnotation.DISTRIBUTED_LOCK;
            J.Annotation moved = Trees.replaced(lock, annotation, attributes(lock, isJob));
            visited = visited.withLeadingAnnotations(visited.getLeadingAnnotations().stream()
                    .map(each -> each.getId().equals(lock.getId()) ? moved : each)
                    .toList());
            maybeAddImport(annotation, false);
            if (!isJob) {
                maybeAddImport(ON_BUSY, false);
            }
            if (!renewed) {
                maybeAddImport(ON_LOST, false);
            }
            maybeRemoveImport(ShedLock.LOCK);
            J translated = new LockContextCalls()
                    .visitNonNull(visited, ctx, getCursor().getParentOrThrow());
            if (translated != visited) {
                maybeAddImport(LockContextCalls.LOCK_CONTEXT, false);
                maybeRemoveImport(ShedLock.ASSERT);
                maybeRemoveImport(ShedLock.EXTENDER);
            }
            return (J.MethodDeclaration) translated;
        }

        private @Nullable Note reasonToStay(J.MethodDeclaration method, J.Annotation lock) {
            J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
            Expression atMost = given(lock, "lockAtMostFor", "defaultLockAtMostFor");
            Expression atLeast = given(lock, "lockAtLeastFor", "defaultLockAtLeastFor");
            if (application.choosesProviders || type == null || choosesProvider(method, type)) {
                return Note.OTHER_PROVIDER;
            }
            if (application.locksOnlyCallsOfTheScheduler()) {
                return Note.SCHEDULER_MODE;
            }
            if (lock.toString().contains("#{")) {
                return Note.SPEL;
            }
            if (atMost == null) {
                return Note.NO_AT_MOST;
            }
            if (isOutside(SHORTEST, ShedLock.duration(atMost))
                    || isOutside(Duration.ZERO, ShedLock.duration(atLeast))) {
                return Note.LENGTH;
            }
            if (isEmptyRatherThanNull(method)) {
                return Note.RESULT;
            }
            if (Trees.isCalledWithin(type, method)) {
                return Note.SELF_CALL;
            }
            return LockContextCalls.translatesAll(method) ? null : Note.EXTENDER;
        }

        private @Nullable Expression given(J.Annotation lock, String attribute, String fallback) {
            Expression own = Trees.attribute(lock, attribute);
            return own == null || "".equals(Trees.literal(own)) ? application.fallback(fallback) : own;
        }

        private static boolean choosesProvider(J.MethodDeclaration method, J.ClassDeclaration type) {
            return Trees.find(method.getLeadingAnnotations(), ShedLock.CHOSEN_PROVIDER) != null
                    || Trees.find(type.getLeadingAnnotations(), ShedLock.CHOSEN_PROVIDER) != null;
        }

        private static boolean isOutside(Duration shortest, @Nullable Duration length) {
            return length != null && (length.compareTo(shortest) < 0 || length.compareTo(LONGEST) > 0);
        }

        /** Whether a skipped call returns something else than ShedLock's null. */
        private static boolean isEmptyRatherThanNull(J.MethodDeclaration method) {
            JavaType result = method.getReturnTypeExpression() == null
                    ? null
                    : method.getReturnTypeExpression().getType();
            if (result instanceof JavaType.Array) {
                return true;
            }
            for (String empty : List.of(
                    "java.lang.Iterable",
                    "java.util.Map",
                    "java.util.Iterator",
                    "java.util.stream.BaseStream",
                    "java.util.concurrent.Future",
                    "java.util.concurrent.CompletionStage",
                    "org.reactivestreams.Publisher")) {
                if (TypeUtils.isAssignableTo(empty, result)) {
                    return true;
                }
            }
            return false;
        }

        /** Whether ticks replace a minimum hold. */
        private boolean becomesJob(J.MethodDeclaration method, J.Annotation lock) {
            return oncePerTick && atLeast(lock) != null && hasTicks(method);
        }

        private @Nullable Expression atLeast(J.Annotation lock) {
            Expression atLeast = given(lock, "lockAtLeastFor", "defaultLockAtLeastFor");
            return Duration.ZERO.equals(ShedLock.duration(atLeast)) ? null : atLeast;
        }

        private List<Expression> attributes(J.Annotation lock, boolean isJob) {
            List<Expression> attributes = new ArrayList<>();
            Expression name = Trees.attribute(lock, "name");
            if (name != null) {
                attributes.add(Trees.attribute("name", name));
            }
            if (!renewed) {
                add(attributes, "leaseTime", given(lock, "lockAtMostFor", "defaultLockAtMostFor"));
            }
            if (!isJob) {
                add(attributes, "minHold", atLeast(lock));
                attributes.add(Trees.attribute("onBusy", Trees.constant(ON_BUSY, "SKIP")));
            }
            if (!renewed) {
                attributes.add(Trees.attribute("onLost", Trees.constant(ON_LOST, "REPORT")));
            }
            return attributes;
        }

        private static void add(List<Expression> attributes, String name, @Nullable Expression duration) {
            if (duration != null) {
                attributes.add(Trees.attribute(name, ShedLock.forHoldfast(duration)));
            }
        }

        /** Whether each run of a method belongs to a tick: it has one schedule, which is none of delays. */
        private static boolean hasTicks(J.MethodDeclaration method) {
            List<J.Annotation> schedules = method.getLeadingAnnotations().stream()
                    .filter(each -> TypeUtils.isOfClassType(each.getType(), SCHEDULED))
                    .toList();
            return schedules.size() == 1
                    && (Trees.attribute(schedules.get(0), "cron") != null
                            || Trees.attribute(schedules.get(0), "fixedRate") != null
                            || Trees.attribute(schedules.get(0), "fixedRateString") != null);
        }
    }
}
