package dev.holdfast.lock.test.lua;

import dev.holdfast.lock.test.lua.LuaLexer.Kind;
import dev.holdfast.lock.test.lua.LuaLexer.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the expressions of a script. Names are resolved here, so that a running script accesses variables by position. */
class LuaParser {

    private static final Map<String, Integer> PRECEDENCE = Map.ofEntries(
            Map.entry("or", 1),
            Map.entry("and", 2),
            Map.entry("<", 3),
            Map.entry(">", 3),
            Map.entry("<=", 3),
            Map.entry(">=", 3),
            Map.entry("~=", 3),
            Map.entry("==", 3),
            Map.entry("..", 4),
            Map.entry("+", 5),
            Map.entry("-", 5),
            Map.entry("*", 6),
            Map.entry("/", 6),
            Map.entry("%", 6));
    private static final int UNARY = 7;
    private static final int CONCATENATION = 4;

    private final List<Token> tokens;
    private int at;

    /** The names of the block that is being read. */
    LuaNames names;

    LuaParser(String script, LuaNames given) {
        this.tokens = LuaLexer.tokens(script);
        this.names = given;
    }

    Token peek() {
        return tokens.get(at);
    }

    Token next() {
        return tokens.get(at++);
    }

    /** Consumes the next token and returns true if it is this keyword or symbol. */
    boolean accept(String text) {
        boolean is = isNext(text);
        if (is) {
            at++;
        }
        return is;
    }

    boolean isNext(String text) {
        Token token = peek();
        return (token.kind() == Kind.KEYWORD || token.kind() == Kind.SYMBOL)
                && token.text().equals(text);
    }

    void expect(String text) {
        if (!accept(text)) {
            throw wrong("'" + text + "' was expected");
        }
    }

    String name() {
        if (peek().kind() != Kind.NAME) {
            throw wrong("a name was expected");
        }
        return next().text();
    }

    LuaException wrong(String what) {
        return new LuaException("line " + peek().line() + ": " + what + ", not '" + peek().text() + "'");
    }

    List<LuaExpression> expressions() {
        List<LuaExpression> list = new ArrayList<>();
        do {
            list.add(expression());
        } while (accept(","));
        return list;
    }

    LuaExpression expression() {
        return expression(0);
    }

    private LuaExpression expression(int least) {
        LuaExpression left = unary();
        while (true) {
            String operator = peek().kind() == Kind.NAME || peek().kind() == Kind.STRING ? "" : peek().text();
            int precedence = PRECEDENCE.getOrDefault(operator, 0);
            if (precedence <= least) {
                return left;
            }
            next();
            // Of the binary operators here, only concatenation is right-associative.
            LuaExpression right = expression(precedence == CONCATENATION ? precedence - 1 : precedence);
            left = LuaOperators.binary(operator, left, right);
        }
    }

    private LuaExpression unary() {
        if (accept("not")) {
            LuaExpression value = expression(UNARY);
            return scope -> !LuaValues.isTrue(value.evaluate(scope));
        }
        if (accept("-")) {
            LuaExpression value = expression(UNARY);
            return scope -> -LuaValues.number(value.evaluate(scope));
        }
        if (accept("#")) {
            return LuaOperators.length(expression(UNARY));
        }
        return suffixed(primary());
    }

    private LuaExpression primary() {
        Token token = next();
        switch (token.kind()) {
            case NUMBER -> {
                Double number = Double.valueOf(token.text());
                return scope -> number;
            }
            case STRING -> {
                return scope -> token.text();
            }
            case NAME -> {
                LuaNames.Place place = place(token.text());
                return scope -> scope.get(place.depth(), place.index());
            }
            default -> {
                at--;
                return wordOrBracket();
            }
        }
    }

    private LuaExpression wordOrBracket() {
        if (accept("nil")) {
            return scope -> null;
        }
        if (accept("true")) {
            return scope -> true;
        }
        if (accept("false")) {
            return scope -> false;
        }
        if (accept("function")) {
            return function();
        }
        if (accept("{")) {
            return table();
        }
        expect("(");
        LuaExpression inner = expression();
        expect(")");
        // A call in parentheses has exactly one value.
        return inner instanceof LuaCall ? scope -> inner.evaluate(scope) : inner;
    }

    LuaExpression function() {
        throw new LuaException("line " + peek().line() + ": no function can be declared here");
    }

    LuaNames.Place place(String name) {
        LuaNames.Place place = names.find(name);
        if (place == null) {
            at--;
            throw wrong("a known name was expected");
        }
        return place;
    }

    LuaExpression suffixed(LuaExpression start) {
        LuaExpression value = start;
        while (true) {
            LuaExpression object = value;
            if (accept(".")) {
                String key = name();
                value = new LuaElement(object, scope -> key);
            } else if (accept("[")) {
                LuaExpression key = expression();
                expect("]");
                value = new LuaElement(object, key);
            } else if (accept("(")) {
                List<LuaExpression> arguments = isNext(")") ? List.of() : expressions();
                expect(")");
                value = new LuaCall(object, arguments);
            } else {
                return value;
            }
        }
    }

    private LuaExpression table() {
        List<LuaExpression> keys = new ArrayList<>();
        List<LuaExpression> values = new ArrayList<>();
        List<LuaExpression> elements = new ArrayList<>();
        while (!accept("}")) {
            LuaExpression key = key();
            if (key == null) {
                elements.add(expression());
            } else {
                keys.add(key);
                values.add(expression());
            }
            if (!isNext("}")) {
                expect(",");
            }
        }
        return scope -> {
            LuaTable table = new LuaTable();
            for (int i = 0; i < keys.size(); i++) {
                table.put(keys.get(i).evaluate(scope), values.get(i).evaluate(scope));
            }
            @Nullable Object[] list = LuaOperators.values(elements, scope);
            for (int i = 0; i < list.length; i++) {
                table.put((double) (i + 1), list[i]);
            }
            return table;
        };
    }

    private @Nullable LuaExpression key() {
        if (accept("[")) {
            LuaExpression key = expression();
            expect("]");
            expect("=");
            return key;
        }
        if (peek().kind() == Kind.NAME && tokens.get(at + 1).text().equals("=")) {
            String key = name();
            expect("=");
            return scope -> key;
        }
        return null;
    }
}
