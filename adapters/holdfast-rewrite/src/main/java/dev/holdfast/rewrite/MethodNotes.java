package dev.holdfast.rewrite;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** Puts a note above each method in which a call or a creation asks for it. */
final class MethodNotes extends JavaIsoVisitor<ExecutionContext> {

    private static final String NOTE = "note";

    private final BiFunction<Expression, Cursor, @Nullable Note> notes;

    /** @param notes returns the note for an expression at a place, null if there is none */
    MethodNotes(BiFunction<Expression, Cursor, @Nullable Note> notes) {
        this.notes = notes;
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
        J.MethodDeclaration visited = super.visitMethodDeclaration(method, ctx);
        Note note = getCursor().getMessage(NOTE);
        return note == null ? visited : note.above(visited);
    }

    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        found(call);
        return super.visitMethodInvocation(call, ctx);
    }

    @Override
    public J.NewClass visitNewClass(J.NewClass created, ExecutionContext ctx) {
        found(created);
        return super.visitNewClass(created, ctx);
    }

    private void found(Expression expression) {
        Note note = notes.apply(expression, getCursor());
        if (note != null) {
            getCursor().putMessageOnFirstEnclosing(J.MethodDeclaration.class, NOTE, note);
        }
    }
}
