package dev.holdfast.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * How one source file uses Redisson. A file moves if each lock comes from a client that Spring injects, and is used only by methods that mean the same
 * in Holdfast.
 */
final class RedissonUse {

    private static final Set<String> SAME_ARITY = Set.of(
            "lock/0",
            "lock/2",
            "lockInterruptibly/0",
            "lockInterruptibly/2",
            "tryLock/0",
            "tryLock/2",
            "tryLock/3",
            "unlock/0",
            "isLocked/0",
            "isHeldByCurrentThread/0",
            "getHoldCount/0",
            "getName/0",
            "newCondition/0",
            "readLock/0",
            "writeLock/0");

    private static final List<String> INJECTED = List.of(
            "org.springframework.context.annotation.Bean",
            "org.springframework.beans.factory.annotation.Autowired",
            "jakarta.inject.Inject");

    private static final List<String> CHOSEN = List.of(
            "org.springframework.beans.factory.annotation.Qualifier",
            "jakarta.inject.Named",
            "jakarta.annotation.Resource");

    /** Annotations of Lombok that make a field known outside of its class. */
    private static final List<String> ACCESSORS =
            List.of("lombok.Data", "lombok.Value", "lombok.Getter", "lombok.Setter", "lombok.Builder");

    private final Map<UUID, Note> reasons = new HashMap<>();
    private final Map<String, Long> constants;
    private final Set<String> injected = new HashSet<>();
    private final Set<String> others = new HashSet<>();
    private final Set<String> locking = new HashSet<>();
    private final Set<String> constructed = new HashSet<>();
    private final Set<String> takingClients = new HashSet<>();
    private @Nullable String clientOfHoldfast;
    private boolean usesLocks;
    private boolean usesMore;

    private RedissonUse(J.CompilationUnit unit) {
        this.constants = RedissonLease.constants(unit);
        new Reader().visit(unit, this);
    }

    static RedissonUse of(J.CompilationUnit unit) {
        return new RedissonUse(unit);
    }

    boolean usesLocks() {
        return usesLocks;
    }

    /** {@return whether the file gets locks from a client, and does not only name or use them} */
    boolean getsLocks() {
        return !locking.isEmpty();
    }

    /** {@return whether the file uses its client for more than locks} */
    boolean usesMore() {
        return usesMore;
    }

    /** {@return the classes to which the file passes a client by itself} */
    Set<String> constructed() {
        return constructed;
    }

    /** {@return why the file cannot move, by the ids of the members that say it} */
    Map<UUID, Note> reasons() {
        return reasons;
    }

    /** {@return whether code that no rule changes creates a class of this file} */
    boolean isConstructedBy(Set<String> application) {
        return takingClients.stream().anyMatch(application::contains);
    }

    Map<String, Long> constants() {
        return constants;
    }

    /** {@return the name of the variable with Holdfast's client} */
    String client() {
        return clientOfHoldfast != null ? clientOfHoldfast : "lockClient";
    }

    boolean hasClientOfHoldfast() {
        return clientOfHoldfast != null;
    }

    /** {@return the method or field around a tree, or the class} */
    static @Nullable J member(Cursor cursor) {
        J found = null;
        for (Cursor each = cursor; each != null && each.getValue() != Cursor.ROOT_VALUE; each = each.getParent()) {
            if (each.getValue() instanceof J.MethodDeclaration method) {
                return method;
            }
            if (each.getValue() instanceof J.VariableDeclarations field && isField(each)) {
                return field;
            }
            if (each.getValue() instanceof J.ClassDeclaration type) {
                found = type;
            }
        }
        return found;
    }

    static boolean isField(Cursor variable) {
        Object block = variable.getParentTreeCursor().getValue();
        return block instanceof J.Block
                && variable.getParentTreeCursor().getParentTreeCursor().getValue() instanceof J.ClassDeclaration;
    }

    /** {@return whether Spring passes what a method takes} */
    static boolean isInjected(J.MethodDeclaration method) {
        return method.isConstructor()
                || INJECTED.stream().anyMatch(each -> Trees.find(method.getLeadingAnnotations(), each) != null);
    }

    /** {@return whether a statement passes a client on to a field} */
    static boolean isAssignmentOfClient(Statement statement) {
        return statement instanceof J.Assignment assignment
                && Redisson.isClientVariable(assignment.getVariable())
                && Redisson.isClientVariable(assignment.getAssignment());
    }

    private final class Reader extends JavaIsoVisitor<RedissonUse> {

        private void stays(Note reason) {
            J member = member(getCursor());
            if (member != null) {
                reasons.putIfAbsent(member.getId(), reason);
            }
        }

        @Override
        public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, RedissonUse use) {
            J.CompilationUnit visited = super.visitCompilationUnit(unit, use);
            // A name that stands for both is one that Spring does not pass.
            for (String each : locking) {
                if (!injected.contains(each) || others.contains(each)) {
                    unit.getClasses().forEach(type -> reasons.putIfAbsent(type.getId(), Note.REDISSON_CLIENT));
                }
            }
            return visited;
        }

        @Override
        public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations declared, RedissonUse use) {
            if (TypeUtils.isOfClassType(declared.getType(), MoveRedissonLocks.LOCK_CLIENT) && isField(getCursor())) {
                clientOfHoldfast = declared.getVariables().get(0).getSimpleName();
            }
            if (!Redisson.isClient(declared.getType())) {
                return super.visitVariableDeclarations(declared, use);
            }
            String name = declared.getVariables().get(0).getSimpleName();
            boolean isCertain = declared.getVariables().size() == 1
                    && declared.getVariables().get(0).getInitializer() == null
                    && CHOSEN.stream().noneMatch(each -> chooses(declared, each));
            (isCertain && isPassedBySpring(declared) ? injected : others).add(name);
            declared.getVariables().forEach(each -> visit(each.getInitializer(), use));
            return declared;
        }

        private static boolean chooses(J.VariableDeclarations declared, String annotation) {
            J.Annotation found = Trees.find(declared.getLeadingAnnotations(), annotation);
            return found != null && (found.getArguments() != null || !annotation.equals("jakarta.annotation.Resource"));
        }

        private boolean isPassedBySpring(J.VariableDeclarations declared) {
            J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
            if (type == null) {
                return false;
            }
            if (isField(getCursor())) {
                boolean isFirst = injectedFields(type) == 1;
                return isFirst
                        && !declared.hasModifier(J.Modifier.Type.Static)
                        && ACCESSORS.stream()
                                .allMatch(each -> Trees.find(declared.getLeadingAnnotations(), each) == null
                                        && Trees.find(type.getLeadingAnnotations(), each) == null)
                        && takes(type);
            }
            return getCursor().getParentTreeCursor().getValue() instanceof J.MethodDeclaration method
                    && isInjected(method)
                    && (!method.isConstructor() || takes(type));
        }

        private static long injectedFields(J.ClassDeclaration type) {
            return type.getBody().getStatements().stream()
                    .filter(each -> each instanceof J.VariableDeclarations field && Redisson.isClient(field.getType()))
                    .count();
        }

        private boolean takes(J.ClassDeclaration type) {
            if (type.getType() != null) {
                takingClients.add(type.getType().getFullyQualifiedName());
            }
            return true;
        }

        @Override
        public J.Assignment visitAssignment(J.Assignment assignment, RedissonUse use) {
            if (!Redisson.isClientVariable(assignment.getVariable())) {
                return super.visitAssignment(assignment, use);
            }
            if (!isAssignmentOfClient(assignment)) {
                others.add(nameOf(assignment.getVariable()));
            }
            return assignment;
        }

        private static String nameOf(Expression variable) {
            return variable instanceof J.FieldAccess access
                    ? access.getSimpleName()
                    : ((J.Identifier) variable).getSimpleName();
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, RedissonUse use) {
            Expression select = call.getSelect();
            if (Redisson.getsAnyLock(call)) {
                usesLocks = true;
                if (!Redisson.getsLock(call)) {
                    stays(Note.REDISSON_API);
                } else if (select != null && Redisson.isClientVariable(select)) {
                    locking.add(nameOf(select));
                    call.getArguments().forEach(each -> visit(each, use));
                    return call;
                } else {
                    stays(Note.REDISSON_CLIENT);
                }
            } else if (select != null && Redisson.isLock(select.getType())) {
                checkUse(call);
            }
            if (call.getMethodType() != null && call.getMethodType().isConstructor()) {
                passes(call.getMethodType().getDeclaringType(), call.getArguments());
            }
            return super.visitMethodInvocation(call, use);
        }

        private void checkUse(J.MethodInvocation call) {
            List<Expression> arguments = call.getArguments().stream()
                    .filter(each -> !(each instanceof J.Empty))
                    .toList();
            usesLocks = true;
            if (!SAME_ARITY.contains(call.getSimpleName() + "/" + arguments.size())) {
                stays(Note.REDISSON_API);
            } else if (RedissonCalls.hasLease(call)) {
                RedissonLease lease = RedissonLease.of(
                        arguments.get(arguments.size() - 2), arguments.get(arguments.size() - 1), constants);
                boolean isStatement = getCursor().getParentTreeCursor().getValue() instanceof J.Block;
                boolean needsStatement = !call.getSimpleName().equals("tryLock");
                if (lease == RedissonLease.REFUSED
                        || (lease == RedissonLease.UNKNOWN && needsStatement && !isStatement)) {
                    stays(Note.REDISSON_LEASE);
                }
            }
        }

        private void passes(JavaType.FullyQualified type, List<Expression> arguments) {
            if (!type.getFullyQualifiedName().startsWith("org.redisson.")
                    && arguments.stream().anyMatch(each -> Redisson.isClient(each.getType()))) {
                constructed.add(type.getFullyQualifiedName());
            }
        }

        @Override
        public J.NewClass visitNewClass(J.NewClass created, RedissonUse use) {
            if (Redisson.isLock(created.getType())) {
                usesLocks = true;
                stays(Note.REDISSON_API);
            }
            if (created.getType() instanceof JavaType.FullyQualified type) {
                passes(type, created.getArguments());
            }
            return super.visitNewClass(created, use);
        }

        @Override
        public J.MemberReference visitMemberReference(J.MemberReference reference, RedissonUse use) {
            String name = reference.getReference().getSimpleName();
            if (Redisson.isLock(reference.getContaining().getType()) && !name.equals("unlock")) {
                stays(Note.REDISSON_API);
            }
            if (Redisson.isClient(reference.getContaining().getType()) && name.endsWith("Lock")) {
                usesLocks = true;
                stays(Note.REDISSON_API);
            }
            return super.visitMemberReference(reference, use);
        }

        @Override
        public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, RedissonUse use) {
            if (Redisson.isLock(type.getType())) {
                stays(Note.REDISSON_API);
            }
            return super.visitClassDeclaration(type, use);
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier name, RedissonUse use) {
            JavaType type = name.getType();
            usesMore |= Redisson.isClientVariable(name);
            if (name.getFieldType() == null && Redisson.isLock(type)) {
                boolean isKnown = TypeUtils.isOfClassType(type, Redisson.LOCK)
                        || TypeUtils.isOfClassType(type, Redisson.READ_WRITE_LOCK);
                if (getCursor().firstEnclosing(J.Import.class) == null) {
                    usesLocks = true;
                    if (!isKnown) {
                        stays(Note.REDISSON_API);
                    }
                }
            }
            if (type instanceof JavaType.FullyQualified named
                    && named.getFullyQualifiedName().startsWith("org.redisson.client.")
                    && named.getFullyQualifiedName().endsWith("Exception")) {
                stays(Note.REDISSON_EXCEPTION);
            }
            if (Redisson.isClientVariable(name)
                    && name.getFieldType() != null
                    && name.getFieldType().getOwner() instanceof JavaType.FullyQualified owner
                    && !isWithin(owner)) {
                constructed.add(owner.getFullyQualifiedName());
            }
            return name;
        }

        /** Whether a field is one of the class that reads it. Another class would miss a field that moved. */
        private boolean isWithin(JavaType.FullyQualified owner) {
            J.CompilationUnit unit = getCursor().firstEnclosing(J.CompilationUnit.class);
            return unit != null
                    && unit.getClasses().stream()
                            .anyMatch(each -> each.getType() != null
                                    && (owner.getFullyQualifiedName() + "$")
                                            .startsWith(each.getType().getFullyQualifiedName() + "$"));
        }
    }
}
