package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JContainer;
import org.openrewrite.java.tree.JLeftPadded;
import org.openrewrite.java.tree.JRightPadded;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;

/** Reads and makes the small trees that templates are too heavy for: annotations, their attributes, and parameters. */
final class Trees {

    private Trees() {}

    static J.Identifier name(String name, @Nullable JavaType type) {
        return new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), name, type, null);
    }

    /** A name that refers to a class, without its package. The caller adds the import. */
    static J.Identifier type(String qualifiedName) {
        return name(simple(qualifiedName), JavaType.ShallowClass.build(qualifiedName));
    }

    static String simple(String qualifiedName) {
        return qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1);
    }

    static J.Literal text(String value) {
        String source = '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        return new J.Literal(
                Tree.randomId(), Space.EMPTY, Markers.EMPTY, value, source, null, JavaType.Primitive.String);
    }

    /** A constant of an enum, such as {@code OnBusy.SKIP}. */
    static J.FieldAccess constant(String enumName, String constant) {
        JavaType type = JavaType.ShallowClass.build(enumName);
        J.Identifier name =
                name(constant, type).withFieldType(new JavaType.Variable(null, 0L, constant, type, type, null));
        return new J.FieldAccess(
                Tree.randomId(), Space.EMPTY, Markers.EMPTY, type(enumName), JLeftPadded.build(name), type);
    }

    /** {@code name = value}. */
    static J.Assignment attribute(String name, Expression value) {
        return new J.Assignment(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                name(name, value.getType()),
                new JLeftPadded<>(Space.SINGLE_SPACE, value.withPrefix(Space.SINGLE_SPACE), Markers.EMPTY),
                value.getType());
    }

    /** A parameter of a method. */
    static J.VariableDeclarations parameter(String typeName, String name) {
        TypeTree type = type(typeName);
        return new J.VariableDeclarations(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                List.of(),
                List.of(),
                type,
                null,
                List.of(JRightPadded.build(new J.VariableDeclarations.NamedVariable(
                        Tree.randomId(),
                        Space.SINGLE_SPACE,
                        Markers.EMPTY,
                        name(name, type.getType()),
                        List.of(),
                        null,
                        new JavaType.Variable(null, 0L, name, null, type.getType(), null)))));
    }

    /** Replaces a class by another in a whole file. */
    static J withType(J tree, String oldName, String newName, ExecutionContext ctx) {
        return (J) new ChangeType(oldName, newName, true).getVisitor().visitNonNull(tree, ctx);
    }

    /** Gives a method other parameters, in its type as well. */
    static J.MethodDeclaration withParameters(J.MethodDeclaration method, List<Statement> parameters) {
        J.MethodDeclaration changed = method.withParameters(parameters);
        JavaType.Method type = changed.getMethodType();
        if (type == null) {
            return changed;
        }
        List<String> names = new ArrayList<>();
        List<JavaType> types = new ArrayList<>();
        for (Statement each : parameters) {
            if (each instanceof J.VariableDeclarations parameter) {
                names.add(parameter.getVariables().get(0).getSimpleName());
                types.add(parameter.getType() == null ? JavaType.Unknown.getInstance() : parameter.getType());
            }
        }
        changed = changed.withMethodType(type.withParameterNames(names).withParameterTypes(types));
        return changed.withName(changed.getName().withType(changed.getMethodType()));
    }

    /** {@return the expression of an attribute of an annotation, null if the annotation leaves it out} */
    static @Nullable Expression attribute(J.Annotation annotation, String name) {
        if (annotation.getArguments() != null) {
            for (Expression each : annotation.getArguments()) {
                if (each instanceof J.Assignment assignment
                        && nameOf(assignment).equals(name)) {
                    return assignment.getAssignment();
                }
                if (name.equals("value") && !(each instanceof J.Assignment) && !(each instanceof J.Empty)) {
                    return each;
                }
            }
        }
        return null;
    }

    static String nameOf(J.Assignment attribute) {
        return attribute.getVariable() instanceof J.Identifier identifier ? identifier.getSimpleName() : "";
    }

    /** {@return the value of a literal text, null for every other expression} */
    static @Nullable String literal(@Nullable Expression expression) {
        return expression instanceof J.Literal literal && literal.getValue() instanceof String text ? text : null;
    }

    /** {@return the first of the annotations that is of a type, null if there is none} */
    static J.@Nullable Annotation find(List<J.Annotation> annotations, String typeName) {
        for (J.Annotation each : annotations) {
            if (TypeUtils.isOfClassType(each.getType(), typeName)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Replaces an annotation and its attributes. What is on a line of its own stays there: new attributes follow the layout of the last old one.
     *
     * @param attributes the new attributes. Those that keep the id of an old one keep its place in the layout
     */
    static J.Annotation replaced(J.Annotation annotation, String typeName, List<? extends Expression> attributes) {
        JContainer<Expression> before = annotation.getPadding().getArguments();
        List<Expression> old = before == null ? List.of() : before.getElements();
        Space further =
                old.size() < 2 ? Space.SINGLE_SPACE : old.get(old.size() - 1).getPrefix();
        Space end = before == null || old.isEmpty()
                ? Space.EMPTY
                : before.getPadding().getElements().get(old.size() - 1).getAfter();
        List<JRightPadded<Expression>> padded = new ArrayList<>();
        for (int i = 0; i < attributes.size(); i++) {
            Expression each = attributes.get(i);
            Space prefix = i < old.size() ? old.get(i).getPrefix() : i == 0 ? Space.EMPTY : further;
            padded.add(new JRightPadded<>(
                    each.withPrefix(prefix), i == attributes.size() - 1 ? end : Space.EMPTY, Markers.EMPTY));
        }
        J.Identifier type = type(typeName);
        return annotation
                .withAnnotationType(
                        type.withPrefix(annotation.getAnnotationType().getPrefix()))
                .getPadding()
                .withArguments(padded.isEmpty() ? null : JContainer.build(Space.EMPTY, padded, Markers.EMPTY));
    }

    /** {@return whether a method is called by its own object, which no proxy sees} */
    static boolean isCalledWithin(J.ClassDeclaration type, J.MethodDeclaration method) {
        boolean[] found = {false};
        new JavaIsoVisitor<boolean[]>() {
            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, boolean[] calls) {
                calls[0] |= call.getSimpleName().equals(method.getSimpleName()) && isThis(call.getSelect());
                return super.visitMethodInvocation(call, calls);
            }

            @Override
            public J.MemberReference visitMemberReference(J.MemberReference reference, boolean[] calls) {
                calls[0] |= reference.getReference().getSimpleName().equals(method.getSimpleName())
                        && isThis(reference.getContaining());
                return super.visitMemberReference(reference, calls);
            }

            private static boolean isThis(@Nullable Expression object) {
                return object == null
                        || (object instanceof J.Identifier name
                                && name.getSimpleName().equals("this"));
            }
        }.visit(type.getBody(), found);
        return found[0];
    }

    /** {@return the classes that a tree names} */
    static Set<String> typesIn(J tree) {
        Set<String> types = new TreeSet<>();
        new JavaIsoVisitor<Set<String>>() {
            @Override
            public J.Identifier visitIdentifier(J.Identifier identifier, Set<String> found) {
                if (identifier.getType() instanceof JavaType.FullyQualified type) {
                    found.add(type.getFullyQualifiedName());
                }
                return super.visitIdentifier(identifier, found);
            }
        }.visit(tree, types);
        return types;
    }
}
