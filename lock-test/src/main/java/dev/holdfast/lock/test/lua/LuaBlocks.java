package dev.holdfast.lock.test.lua;

import dev.holdfast.lock.test.lua.LuaLexer.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the statements of a script. */
final class LuaBlocks extends LuaParser {

    LuaBlocks(String script, LuaNames given) {
        super(script, given);
    }

    LuaStatement script() {
        LuaStatement body = block();
        if (peek().kind() != Kind.END) {
            throw wrong("the end was expected");
        }
        return body;
    }

    /** Reads a block, which has its own variables. */
    private LuaStatement block() {
        LuaNames own = open();
        LuaStatement body = statements();
        close();
        return scope -> body.run(new LuaScope(own.size(), scope));
    }

    private LuaNames open() {
        names = new LuaNames(names);
        return names;
    }

    private void close() {
        LuaNames outer = names.outer;
        if (outer != null) {
            names = outer;
        }
    }

    private LuaStatement statements() {
        List<LuaStatement> list = new ArrayList<>();
        while (!isEnd()) {
            if (accept("return")) {
                List<LuaExpression> values = isEnd() ? List.of() : expressions();
                list.add(scope -> LuaOperators.values(values, scope));
                break;
            }
            list.add(statement());
        }
        LuaStatement[] all = list.toArray(LuaStatement[]::new);
        return scope -> {
            for (LuaStatement statement : all) {
                @Nullable Object[] end = statement.run(scope);
                if (end != null) {
                    return end;
                }
            }
            return null;
        };
    }

    private boolean isEnd() {
        return peek().kind() == Kind.END || isNext("end") || isNext("else") || isNext("elseif") || isNext("until");
    }

    private LuaStatement statement() {
        if (accept("local")) {
            return accept("function") ? localFunction() : local();
        }
        if (accept("if")) {
            return conditional();
        }
        if (accept("while")) {
            return whileLoop();
        }
        if (accept("repeat")) {
            return repeatLoop();
        }
        if (accept("for")) {
            return forLoop();
        }
        if (accept("break")) {
            return scope -> LuaStatement.BREAK;
        }
        return assignmentOrCall();
    }

    private LuaStatement localFunction() {
        // The name is declared first, because the function may call itself.
        int index = names.declare(name());
        LuaExpression function = function();
        return scope -> {
            scope.set(0, index, function.evaluate(scope));
            return null;
        };
    }

    private LuaStatement local() {
        List<String> declared = new ArrayList<>();
        do {
            declared.add(name());
        } while (accept(","));
        List<LuaExpression> values = accept("=") ? expressions() : List.of();
        int first = names.size();
        declared.forEach(names::declare);
        int count = declared.size();
        if (count == 1 && values.size() == 1) {
            LuaExpression value = values.get(0);
            return scope -> {
                scope.set(0, first, value.evaluate(scope));
                return null;
            };
        }
        return scope -> {
            @Nullable Object[] given = LuaOperators.values(values, scope);
            for (int i = 0; i < count; i++) {
                scope.set(0, first + i, LuaLibrary.at(given, i));
            }
            return null;
        };
    }

    @Override
    LuaExpression function() {
        LuaNames own = open();
        expect("(");
        if (!isNext(")")) {
            do {
                own.declare(name());
            } while (accept(","));
        }
        expect(")");
        int parameters = own.size();
        LuaStatement body = statements();
        expect("end");
        close();
        return outer -> {
            LuaFunction function = arguments -> {
                LuaScope scope = new LuaScope(own.size(), outer);
                for (int i = 0; i < parameters; i++) {
                    scope.set(0, i, LuaLibrary.at(arguments, i));
                }
                @Nullable Object[] returned = body.run(scope);
                return returned == null ? new Object[0] : returned;
            };
            return function;
        };
    }

    private LuaStatement conditional() {
        LuaExpression condition = expression();
        expect("then");
        LuaStatement then = block();
        LuaStatement otherwise = scope -> null;
        if (accept("elseif")) {
            otherwise = conditional();
        } else {
            if (accept("else")) {
                otherwise = block();
            }
            expect("end");
        }
        LuaStatement rest = otherwise;
        return scope -> LuaValues.isTrue(condition.evaluate(scope)) ? then.run(scope) : rest.run(scope);
    }

    private LuaStatement whileLoop() {
        LuaExpression condition = expression();
        expect("do");
        LuaStatement body = block();
        expect("end");
        return scope -> {
            while (LuaValues.isTrue(condition.evaluate(scope))) {
                @Nullable Object[] end = body.run(scope);
                if (end != null) {
                    return end == LuaStatement.BREAK ? null : end;
                }
            }
            return null;
        };
    }

    /** Reads a loop whose condition sees the variables of its body. */
    private LuaStatement repeatLoop() {
        LuaNames own = open();
        LuaStatement body = statements();
        expect("until");
        LuaExpression condition = expression();
        close();
        return outer -> {
            LuaScope scope;
            do {
                scope = new LuaScope(own.size(), outer);
                @Nullable Object[] end = body.run(scope);
                if (end != null) {
                    return end == LuaStatement.BREAK ? null : end;
                }
            } while (!LuaValues.isTrue(condition.evaluate(scope)));
            return null;
        };
    }

    private LuaStatement forLoop() {
        List<String> declared = new ArrayList<>();
        do {
            declared.add(name());
        } while (accept(","));
        boolean counts = !accept("in");
        if (counts) {
            expect("=");
        }
        List<LuaExpression> range = expressions();
        expect("do");
        LuaNames own = open();
        declared.forEach(own::declare);
        LuaStatement body = statements();
        expect("end");
        close();
        return counts ? counting(range, body, own) : iterating(range, declared.size(), body, own);
    }

    private static LuaStatement counting(List<LuaExpression> range, LuaStatement body, LuaNames own) {
        return outer -> {
            double from = LuaValues.number(range.get(0).evaluate(outer));
            double to = LuaValues.number(range.get(1).evaluate(outer));
            double step = range.size() > 2 ? LuaValues.number(range.get(2).evaluate(outer)) : 1;
            for (double i = from; step > 0 ? i <= to : i >= to; i += step) {
                LuaScope scope = new LuaScope(own.size(), outer);
                scope.set(0, 0, i);
                @Nullable Object[] end = body.run(scope);
                if (end != null) {
                    return end == LuaStatement.BREAK ? null : end;
                }
            }
            return null;
        };
    }

    private static LuaStatement iterating(List<LuaExpression> range, int variables, LuaStatement body, LuaNames own) {
        return outer -> {
            if (!(range.get(0).evaluate(outer) instanceof LuaFunction iterator)) {
                throw new LuaException("a loop needs ipairs() or pairs()");
            }
            while (true) {
                @Nullable Object[] values = iterator.call(new Object[0]);
                if (LuaLibrary.at(values, 0) == null) {
                    return null;
                }
                LuaScope scope = new LuaScope(own.size(), outer);
                for (int i = 0; i < variables; i++) {
                    scope.set(0, i, LuaLibrary.at(values, i));
                }
                @Nullable Object[] end = body.run(scope);
                if (end != null) {
                    return end == LuaStatement.BREAK ? null : end;
                }
            }
        };
    }

    private LuaStatement assignmentOrCall() {
        String name = name();
        LuaNames.Place place = place(name);
        if (accept("=")) {
            LuaExpression value = expression();
            return scope -> {
                scope.set(place.depth(), place.index(), value.evaluate(scope));
                return null;
            };
        }
        LuaExpression start = scope -> scope.get(place.depth(), place.index());
        LuaExpression target = suffixed(start);
        if (target instanceof LuaCall) {
            return scope -> {
                target.evaluate(scope);
                return null;
            };
        }
        expect("=");
        LuaExpression value = expression();
        if (!(target instanceof LuaElement element)) {
            throw wrong("an assignment or a call was expected");
        }
        return scope -> {
            element.set(scope, value.evaluate(scope));
            return null;
        };
    }
}
