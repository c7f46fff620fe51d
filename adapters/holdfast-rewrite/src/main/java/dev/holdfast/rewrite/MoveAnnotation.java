package dev.holdfast.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
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
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.tree.Yaml;

/** Replaces another library's annotation of methods by {@code @DistributedLock}, as far as a table of its attributes suffices. */
abstract class MoveAnnotation extends ScanningRecipe<MoveAnnotation.Application> {

    static final String DISTRIBUTED_LOCK = "dev.holdfast.lock.spring.DistributedLock";

    private final String annotation;
    private final String exception;
    private final Pattern defaults;

    /**
     * Creates the recipe.
     *
     * @param annotation the other annotation
     * @param exception what the other library throws for a busy lock. Code that knows it would miss Holdfast's
     * @param defaults settings that change what an attribute that is left out means
     */
    MoveAnnotation(String annotation, String exception, String defaults) {
        this.annotation = annotation;
        this.exception = exception;
        this.defaults = Pattern.compile(defaults);
    }

    /** What the whole application says. */
    static final class Application {
        private boolean knowsException;
        private boolean hasDefaults;
    }

    /** {@return why an annotation stays, null if it moves} */
    abstract @Nullable Note reasonToStay(J.Annotation lock, J.MethodDeclaration method);

    /** {@return whether an annotation leaves out what the configuration may say} */
    abstract boolean needsDefaults(J.Annotation lock);

    /** Adds the attributes of {@code @DistributedLock}, and the classes to import. */
    abstract void translate(J.Annotation lock, List<Expression> attributes, List<String> imports);

    /** Adds the attributes that both annotations have under the same names. */
    static void addNameAndKey(J.Annotation lock, List<Expression> attributes) {
        attributes.add(
                Trees.attribute("name", Trees.text(String.valueOf(Trees.literal(Trees.attribute(lock, "name"))))));
        String key = key(Trees.attribute(lock, "keys"));
        if (key != null && !key.isEmpty()) {
            attributes.add(Trees.attribute("key", Trees.text(key)));
        }
    }

    @Override
    public String getDisplayName() {
        return "Replace `@" + Trees.simple(annotation) + "` by `@DistributedLock`";
    }

    @Override
    public String getDescription() {
        return "Only where the attributes say enough. Other methods keep the annotation and get a comment.";
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
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile source && !Sources.isTest(source)) {
                    application.knowsException |=
                            Sources.uses(source, type -> TypeUtils.isOfClassType(type, exception));
                }
                if (tree instanceof Yaml.Documents || tree instanceof Properties.File) {
                    application.hasDefaults |=
                            defaults.matcher(((SourceFile) tree).printAll()).find();
                }
                return tree;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Application application) {
        return new JavaIsoVisitor<>() {

            @Override
            public boolean isAcceptable(SourceFile source, ExecutionContext ctx) {
                return source instanceof J.CompilationUnit;
            }

            @Override
            public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
                J.MethodDeclaration visited = super.visitMethodDeclaration(method, ctx);
                J.Annotation lock = Trees.find(visited.getLeadingAnnotations(), annotation);
                J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
                if (lock == null || type == null) {
                    return visited;
                }
                Note reason = reasonToStay(lock, visited);
                if (application.knowsException) {
                    reason = Note.OTHER_EXCEPTION;
                } else if (reason == null && application.hasDefaults && needsDefaults(lock)) {
                    reason = Note.OTHER_DEFAULTS;
                } else if (reason == null && Trees.isCalledWithin(type, visited)) {
                    reason = Note.OTHER_SELF_CALL;
                }
                if (reason != null) {
                    return reason.above(visited);
                }
                List<Expression> attributes = new ArrayList<>();
                List<String> imports = new ArrayList<>();
                translate(lock, attributes, imports);
                J.Annotation moved = Trees.replaced(lock, DISTRIBUTED_LOCK, attributes);
                maybeAddImport(DISTRIBUTED_LOCK, false);
                imports.forEach(each -> maybeAddImport(each, false));
                Trees.typesIn(lock).forEach(this::maybeRemoveImport);
                return Note.OTHER_NAMES.above(visited.withLeadingAnnotations(visited.getLeadingAnnotations().stream()
                        .map(each -> each.getId().equals(lock.getId()) ? moved : each)
                        .toList()));
            }
        };
    }

    /** Joins the parts of a key into one expression, or returns null if one of them is no literal text that Holdfast can evaluate. */
    static @Nullable String key(@Nullable Expression keys) {
        if (keys == null) {
            return "";
        }
        List<Expression> parts = keys instanceof J.NewArray array && array.getInitializer() != null
                ? array.getInitializer()
                : List.of(keys);
        List<String> texts = new ArrayList<>();
        for (Expression part : parts) {
            String text = Trees.literal(part);
            if (text == null || text.isBlank() || text.matches(".*(@|\\bT\\(|\\bnew\\b).*")) {
                return null;
            }
            texts.add(text.matches("#?[\\w.#]+") ? text : "(" + text + ")");
        }
        return String.join(" + '.' + ", texts);
    }

    static @Nullable Long number(@Nullable Expression expression) {
        if (expression instanceof J.Unary negative && negative.getOperator() == J.Unary.Type.Negative) {
            Long number = number(negative.getExpression());
            return number == null ? null : Long.valueOf(-number);
        }
        return expression instanceof J.Literal literal && literal.getValue() instanceof Number number
                ? Long.valueOf(number.longValue())
                : null;
    }
}
