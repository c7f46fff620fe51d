package dev.holdfast.lock.simulation;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The statements of a Java source, by positions in its text. */
final class JavaSource {

    private final String text;

    JavaSource(String text) {
        this.text = text;
    }

    /**
     * Returns the text with a statement in front of the innermost one at a position, or of the first one behind it in its method; the text
     * itself if the position is in no method.
     */
    String before(int position, String statement) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        SimpleJavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Source.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreErrors) {
                        return text;
                    }
                };
        try {
            JavacTask task =
                    (JavacTask) compiler.getTask(null, null, problem -> {}, List.of("-proc:none"), null, List.of(file));
            CompilationUnitTree unit = task.parse().iterator().next();
            Finder finder = new Finder(unit, Trees.instance(task).getSourcePositions(), position);
            finder.scan(unit, null);
            if (finder.found < 0) {
                return text;
            }
            return text.substring(0, finder.found) + statement + " " + text.substring(finder.found);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Finder extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final int position;
        private int found = -1;

        Finder(CompilationUnitTree unit, SourcePositions positions, int position) {
            this.unit = unit;
            this.positions = positions;
            this.position = position;
        }

        private int start(Tree tree) {
            return (int) positions.getStartPosition(unit, tree);
        }

        private int end(Tree tree) {
            return (int) positions.getEndPosition(unit, tree);
        }

        /** Chooses in a block, and so in the innermost one at last: blocks are visited from the outer to the inner. */
        private void choose(List<? extends StatementTree> statements, int endOfBlock) {
            for (StatementTree statement : statements) {
                if (end(statement) > position && !callsConstructor(statement)) {
                    found = start(statement);
                    return;
                }
            }
            boolean hasEnd = !statements.isEmpty() && isLeft(statements.get(statements.size() - 1));
            found = hasEnd ? start(statements.get(statements.size() - 1)) : endOfBlock;
        }

        private static boolean isLeft(StatementTree statement) {
            return switch (statement.getKind()) {
                case RETURN, THROW, BREAK, CONTINUE -> true;
                default -> false;
            };
        }

        private static boolean callsConstructor(StatementTree statement) {
            return statement instanceof ExpressionStatementTree expression
                    && expression.getExpression() instanceof MethodInvocationTree call
                    && (call.getMethodSelect().toString().equals("super")
                            || call.getMethodSelect().toString().equals("this"));
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            // The place may be in its head.
            if (start(method) <= position && position < end(method) && method.getBody() != null) {
                choose(method.getBody().getStatements(), end(method.getBody()) - 1);
            }
            return super.visitMethod(method, nothing);
        }

        @Override
        public @Nullable Void visitBlock(BlockTree block, @Nullable Void nothing) {
            if (start(block) < position && position < end(block)) {
                choose(block.getStatements(), end(block) - 1);
            }
            return super.visitBlock(block, nothing);
        }

        @Override
        public @Nullable Void visitCase(CaseTree one, @Nullable Void nothing) {
            if (start(one) < position
                    && position < end(one)
                    && one.getStatements() != null
                    && !one.getStatements().isEmpty()) {
                choose(one.getStatements(), start(one.getStatements().get(0)));
            }
            return super.visitCase(one, nothing);
        }
    }
}
