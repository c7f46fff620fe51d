package dev.holdfast.lock.simulation;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Classes of faults of the scripts that no plan can show, each with its reason. A class stands for what the simulation does not contain, or for
 * changes without an effect. Something else that survives is a missing plan or a missing check.
 */
enum Explained {
    REDISSON(
            "no client of Redisson takes part: lock-core's interop tests run it",
            "redisson-turn|left_to_redisson|leave_to_redisson|is_redisson|foreign|REDISSON|TURN_|queue\\.channel|redisson_lock__channel|beside_redisson"),
    CLUSTER(
            "there is no cluster, where keys and channels have another form: lock-core's cluster tests run it",
            "token_key|queue\\.cluster|spublish|'holdfast:token:'|cluster and type"),
    ANOTHER_KIND(
            "no name is used as another kind of lock, and no other program writes keys of locks: WrongKindTest and ScriptFuzzTest do",
            "wrong_kind|WRONGTYPE|known\\.err|problem|lock-kind"),
    TOO_MUCH(
            "arguments and numbers beyond what a client sends are refused: ScriptFuzzTest sends them",
            "out_of_bounds|LONGEST_KEEP|tonumber\\(count\\) or|LONGEST_LEASE|, 1000000\\)|\\bwhole\\(|\\bor seen |: if not (owner|grace|most|locks|keep|number|asked|token|lease|field or|\\(keep|\\(permits)\\b"),
    EXACTLY(
            "a time that is met to the millisecond may fall on either side",
            ": (.*(\\b(left|ends|deadline|now|ms|present|farthest|given|asked|lease|0\\.95)|[^#]\\bfirst|'pttl', \\w+\\)"
                    + "|\\(given\\)|known\\[3\\]\\) or 0\\)) [<>])=?( .*) ⇒ \\1=?\\4$"
                    + "|assert.lua: answer = 3 \\+ math.* ⇒ answer = 2 \\+"),
    LIFETIME(
            "how long a key of a queue outlives its last deadline: nobody relies on the exact time",
            "OUTLIVES|^[^:]*: redis\\.call\\('pexpire', queue\\.|⇒ .*enter\\(queue, owner, now, now \\+ lifetime, "),
    WORK(
            "how much one script does before a later one continues: QueueGrowthTest bounds it, and nobody relies on the exact number",
            "local (MOST_\\w+|PASSED_AT_ONCE|SEARCHED|size) = \\d+ ⇒|walk.lua: (seen|in_vain) = 0 ⇒|write-acquire.lua: (dead\\[|return refused\\(1)|rw-release.lua: local seen = 0"),
    ANYWAY(
            "the value cannot occur, or has the same effect: nil as false, a bound of a number that is at least 1, a key that is not used, an order",
            "write-acquire.lua: return false ⇒ $|max\\(1, after\\)|closed_for\\(term_of\\(.*\\), 0\\).* ⇒ .*, 1\\)|not_yet\\(queue_of"
                    + "|semaphore-assert.lua: if not holder|-renew.lua: return known ⇒ $|raise.lua: .* <= number"
                    + "|'exists', (\\S+), (\\S+)\\) .*⇒ .*'exists', \\2, \\1\\)|force.lua: for i = 1, #fields, 2"
                    + "|multi-release.lua: if keep > 0 then ⇒ if keep >= 0"
                    + "|rw-acquire.lua: if redis.call\\('exists', queue.deadlines, queue.places\\) == 0 then ⇒ $"
                    + "|rw-release.lua: (local longest = -2 ⇒ .*-|for i = 1, #page, 2 do ⇒ .*, 1 do)"
                    + "|multi-acquire.lua: if (wait == -2 or .* ⇒ if wait == -3|mine < #locks or token == 0)|draw.lua: if last and not .* ⇒ .*\\) or \\(tonumber"
                    + "|reign.lua: (local last = .* or 1$|if not reign then ⇒)"),
    ENDS_AGAIN(
            "Redis refuses no command between a write and its end here, unless it refuses all",
            "\\bended\\b|\\bdone\\b|\\bwritten = |semaphore-acquire.lua: if fields == 0 then");

    private final String reason;

    @SuppressWarnings("ImmutableEnumChecker") // A Pattern cannot be changed.
    private final Pattern changed;

    Explained(String reason, String changed) {
        this.reason = reason;
        this.changed = Pattern.compile(changed);
    }

    /** Returns the class of a mutant that was not found, if it is in one. */
    static Optional<Explained> of(Mutant mutant) {
        return List.of(values()).stream()
                .filter(one -> one.changed.matcher(mutant.name()).find())
                .findFirst();
    }

    String reason() {
        return reason;
    }
}
