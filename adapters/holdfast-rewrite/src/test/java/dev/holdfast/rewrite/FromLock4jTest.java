package dev.holdfast.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.yaml.Assertions.yaml;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.test.SourceSpecs;

class FromLock4jTest extends Migration {

    private static final String LOCK4J = "com.baomidou:lock4j-redis-template-spring-boot-starter:2.2.7";

    FromLock4jTest() {
        super(new FromLock4j());
    }

    private static String orders(String imported, String lock) {
        return """
                import %s;

                class Orders {

                    %s
                    public void place(String user, String order) {}
                }
                """.formatted(imported, lock);
    }

    private static SourceSpecs moves(String lock, String moved) {
        return java(
                orders("com.baomidou.lock.annotation.Lock4j", lock),
                orders("dev.holdfast.lock.spring.DistributedLock", Note.OTHER_NAMES.line() + "\n    " + moved));
    }

    private static SourceSpecs stays(Note note, String lock) {
        String before = orders("com.baomidou.lock.annotation.Lock4j", lock);
        return java(before, before.replace("    " + lock, "    " + note.line() + "\n    " + lock));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name = \"order\", keys = {\"#user\", \"#order\"}, expire = 60000, acquireTimeout = 1000"
                        + "|name = \"order\", key = \"#user + '.' + #order\", waitTime = \"1000ms\", leaseTime = \"60000ms\"",
                "name = \"order\", keys = \"#order.trim()\"|name = \"order\", key = \"(#order.trim())\", waitTime = \"3000ms\"",
                "name = \"order\", expire = -1|name = \"order\", waitTime = \"3000ms\"",
            })
    void attributesBecomeThoseOfHoldfast(String attributes, String moved) {
        rewriteRun(moves("@Lock4j(" + attributes + ")", "@DistributedLock(" + moved + ")"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OTHER_NAME|keys = \"#order\"",
                "LOCK4J_ATTRIBUTE|name = \"order\", autoRelease = false",
                "LOCK4J_ATTRIBUTE|name = \"order\", keys = \"T(java.lang.Math).random()\"",
                "LOCK4J_ATTRIBUTE|name = \"order\", failStrategy = com.baomidou.lock.LockFailureStrategy.class",
            })
    void whatATableCannotDecideStays(Note note, String attributes) {
        rewriteRun(stays(note, "@Lock4j(" + attributes + ")"));
    }

    @Test
    void methodStaysWhereTheConfigurationHasTimes() {
        rewriteRun(
                stays(Note.OTHER_DEFAULTS, "@Lock4j(name = \"order\")"),
                yaml("""
                        lock4j:
                          acquire-timeout: 500
                        """, spec -> spec.path("src/main/resources/application.yml")));
    }

    @Test
    void methodStaysWhereCodeKnowsTheException() {
        rewriteRun(stays(Note.OTHER_EXCEPTION, "@Lock4j(name = \"order\")"), java("""
                        import com.baomidou.lock.exception.LockFailureException;

                        class Shop {

                            boolean isBusy(Exception failure) {
                                return failure instanceof LockFailureException;
                            }
                        }
                        """));
    }

    @Test
    void dependencyIsReplacedWithTheLastUse() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                moves("@Lock4j(name = \"order\")", "@DistributedLock(name = \"order\", waitTime = \"3000ms\")"),
                pom(List.of(LOCK4J), List.of(STARTER)));
    }

    private static String invoices(String lock) {
        return orders("com.baomidou.lock.annotation.Lock4j", lock).replace("Orders", "Invoices");
    }

    @Test
    void methodThatMovesBesideOneThatStaysBringsHoldfastBesideLock4j() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                moves("@Lock4j(name = \"order\")", "@DistributedLock(name = \"order\", waitTime = \"3000ms\")"),
                java(
                        invoices("@Lock4j(keys = \"#order\")"),
                        invoices(Note.OTHER_NAME.line() + "\n    @Lock4j(keys = \"#order\")")),
                pom(List.of(LOCK4J), List.of(LOCK4J, STARTER)));
    }
}
