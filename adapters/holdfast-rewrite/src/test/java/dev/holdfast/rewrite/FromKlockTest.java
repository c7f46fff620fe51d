package dev.holdfast.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FromKlockTest extends Migration {

    private static final String STRATEGIES = """
            import org.springframework.boot.autoconfigure.klock.model.LockTimeoutStrategy;
            import org.springframework.boot.autoconfigure.klock.model.LockType;
            """;

    FromKlockTest() {
        super(new FromKlock());
    }

    private static String orders(String imports, String lock) {
        return """
                %s
                class Orders {

                    %s
                    public void place(String order) {}
                }
                """.formatted(imports, lock);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name = \"order\", keys = \"#order\", waitTime = 5, leaseTime = 10"
                        + "|name = \"order\", key = \"#order\", waitTime = \"5s\", leaseTime = \"10s\", onLost = OnLost.REPORT",
                "name = \"order\", leaseTime = -1|name = \"order\", waitTime = \"60s\", onLost = OnLost.REPORT",
            })
    void attributesBecomeThoseOfHoldfast(String attributes, String moved) {
        rewriteRun(java(
                orders("""
                        import org.springframework.boot.autoconfigure.klock.annotation.Klock;
                        import org.springframework.boot.autoconfigure.klock.model.LockTimeoutStrategy;
                        """, "@Klock(" + attributes + ", lockTimeoutStrategy = LockTimeoutStrategy.FAIL_FAST)"),
                orders("""
                        import dev.holdfast.lock.spring.DistributedLock;
                        import dev.holdfast.lock.spring.OnLost;
                        """, Note.OTHER_NAMES.line() + "\n    @DistributedLock(" + moved + ")")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "KLOCK_STRATEGY|name = \"order\"",
                "KLOCK_STRATEGY|name = \"order\", lockTimeoutStrategy = LockTimeoutStrategy.KEEP_ACQUIRE",
                "OTHER_NAME|lockType = LockType.Fair, lockTimeoutStrategy = LockTimeoutStrategy.FAIL_FAST",
            })
    void whatATableCannotDecideStays(Note note, String attributes) {
        String imports = "import org.springframework.boot.autoconfigure.klock.annotation.Klock;\n" + STRATEGIES;
        String lock = "@Klock(" + attributes + ")";
        rewriteRun(java(orders(imports, lock), orders(imports, note.line() + "\n    " + lock)));
    }
}
