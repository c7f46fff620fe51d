package dev.holdfast.lock.simulation;

import dev.holdfast.lock.test.lua.LuaLexer;
import dev.holdfast.lock.test.lua.LuaLexer.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The structure of a Lua source, by positions in its text: its statements, conditions, operators, numbers and calls. */
final class LuaSource {

    /** What stands where. Of {@link #end}, the first position behind it. */
    record Span(int start, int end) {
        boolean contains(int at) {
            return start <= at && at < end;
        }

        int length() {
            return end - start;
        }
    }

    /** The kind of a statement. */
    enum Kind {
        LOCAL,
        FUNCTION,
        /** It has blocks of its own. */
        COMPOUND,
        RETURN,
        BREAK,
        ASSIGNMENT,
        CALL
    }

    /** A statement. */
    record Statement(Kind kind, Span span) {}

    /** A call with its arguments. */
    record Call(Span name, List<Span> arguments) {}

    private static final Set<String> BINARY =
            Set.of("or", "and", "<", ">", "<=", ">=", "~=", "==", "..", "+", "-", "*", "/", "%");

    final String text;
    final List<Token> tokens;
    final List<Statement> statements = new ArrayList<>();
    /** What decides an {@code if}, an {@code elseif}, a {@code while} or a {@code repeat}. */
    final List<Span> conditions = new ArrayList<>();

    final List<Call> calls = new ArrayList<>();
    /** Where another statement may stand. */
    private final List<Span> slots = new ArrayList<>();

    private int at;

    LuaSource(String text) {
        this.text = text;
        this.tokens = LuaLexer.tokens(text);
        block();
        if (peek().kind() != LuaLexer.Kind.END) {
            throw new IllegalArgumentException("'" + peek().text() + "' at " + peek().start());
        }
    }

    private Token peek() {
        return tokens.get(at);
    }

    private boolean isNext(String word) {
        return peek().text().equals(word) && peek().kind() != LuaLexer.Kind.STRING;
    }

    private boolean accept(String word) {
        boolean is = isNext(word);
        at += is ? 1 : 0;
        return is;
    }

    private void expect(String word) {
        if (!accept(word)) {
            throw new IllegalArgumentException(
                    "'" + word + "' was expected, not '" + peek().text() + "', at " + peek().start());
        }
    }

    private int start() {
        return peek().start();
    }

    /** Returns the end of the word before. */
    private int end() {
        return tokens.get(at - 1).end();
    }

    private boolean isBlockEnd() {
        return peek().kind() == LuaLexer.Kind.END
                || isNext("end")
                || isNext("else")
                || isNext("elseif")
                || isNext("until");
    }

    private void block() {
        Kind last = Kind.COMPOUND;
        while (!isBlockEnd()) {
            slots.add(new Span(at == 0 ? 0 : end(), start()));
            int start = start();
            last = statement();
            statements.add(new Statement(last, new Span(start, end())));
        }
        if (last != Kind.RETURN && last != Kind.BREAK) {
            slots.add(new Span(at == 0 ? 0 : end(), start()));
        }
    }

    private Kind statement() {
        if (accept("return")) {
            if (!isBlockEnd()) {
                expressions();
            }
            return Kind.RETURN;
        }
        if (accept("break")) {
            return Kind.BREAK;
        }
        if (accept("local")) {
            if (accept("function")) {
                at++;
                body();
                return Kind.FUNCTION;
            }
            do {
                at++;
            } while (accept(","));
            if (accept("=")) {
                expressions();
            }
            return Kind.LOCAL;
        }
        if (accept("if")) {
            do {
                condition();
                expect("then");
                block();
            } while (accept("elseif"));
            if (accept("else")) {
                block();
            }
            expect("end");
            return Kind.COMPOUND;
        }
        if (accept("while")) {
            condition();
            expect("do");
            block();
            expect("end");
            return Kind.COMPOUND;
        }
        if (accept("repeat")) {
            block();
            expect("until");
            condition();
            return Kind.COMPOUND;
        }
        if (accept("for")) {
            do {
                at++;
            } while (accept(","));
            at++;
            expressions();
            expect("do");
            block();
            expect("end");
            return Kind.COMPOUND;
        }
        primary();
        if (accept("=")) {
            expressions();
            return Kind.ASSIGNMENT;
        }
        return Kind.CALL;
    }

    private void condition() {
        int start = start();
        expression();
        conditions.add(new Span(start, end()));
    }

    private void body() {
        expect("(");
        while (!accept(")")) {
            at++;
        }
        block();
        expect("end");
    }

    private void expressions() {
        do {
            expression();
        } while (accept(","));
    }

    private void expression() {
        do {
            while (accept("not") || accept("-") || accept("#")) {
                // A prefix has no position of its own.
            }
            primary();
        } while (BINARY.contains(peek().text()) && peek().kind() != LuaLexer.Kind.STRING && at++ >= 0);
    }

    private void primary() {
        int start = start();
        if (accept("function")) {
            body();
        } else if (accept("{")) {
            table();
        } else if (accept("(")) {
            expression();
            expect(")");
        } else {
            at++;
        }
        while (true) {
            if (accept(".")) {
                at++;
            } else if (accept("[")) {
                expression();
                expect("]");
            } else if (isNext("(")) {
                Span name = new Span(start, end());
                at++;
                List<Span> arguments = new ArrayList<>();
                while (!accept(")")) {
                    int first = start();
                    expression();
                    arguments.add(new Span(first, end()));
                    accept(",");
                }
                calls.add(new Call(name, arguments));
            } else {
                return;
            }
        }
    }

    private void table() {
        while (!accept("}")) {
            if (accept("[")) {
                expression();
                expect("]");
                expect("=");
            } else if (peek().kind() == LuaLexer.Kind.NAME
                    && tokens.get(at + 1).text().equals("=")) {
                at += 2;
            }
            expression();
            accept(",");
        }
    }

    String at(Span span) {
        return text.substring(span.start, span.end);
    }

    /** Returns the text with a call before what stands at a position, which runs whenever that runs. */
    String before(int position, String call) {
        for (Span condition : conditions) {
            if (condition.start <= position && position < condition.end) {
                return text.substring(0, condition.start) + "(" + call + " and (" + at(condition) + "))"
                        + text.substring(condition.end);
            }
        }
        int from = slots.stream()
                .filter(slot -> slot.start <= position && position <= slot.end)
                .mapToInt(Span::end)
                .findFirst()
                .orElseGet(() -> statements.stream()
                        .map(Statement::span)
                        .filter(span -> span.contains(position))
                        .mapToInt(Span::start)
                        .max()
                        .orElse(0));
        return text.substring(0, from) + call + " " + text.substring(from);
    }
}
