package dev.holdfast.lock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.protocol.OwnerId;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;

/** The times that pages promise are those of the code, so README and manual cannot promise different ones. */
class BoundsTest {

    private static final Pattern TIME = Pattern.compile("([\\d.]+|[a-z]+) (ms|s|seconds?|minutes?)");

    private static final Map<String, Double> NUMBERS =
            Map.of("a", 1.0, "one", 1.0, "two", 2.0, "three", 3.0, "five", 5.0, "six", 6.0, "ten", 10.0);

    /** A time, and a sentence of a page that states it. The braces stand for the time. */
    record Bound(Duration time, String page, String sentence) {}

    static Stream<Bound> bounds() throws Exception {
        Duration lease = setting("holdfast.watchdog-timeout");
        ConnectionSettings connection = ConnectionSettings.forLease(lease);
        Duration firstConnect = connection.firstConnectTimeout();
        Duration firstLease = Duration.ofMillis(OwnerId.USUAL_FIRST_LEASE_MILLIS);
        Duration place = Duration.ofMillis((long) constant(
                Class.forName("dev.holdfast.lock.internal.waiting.PollSchedule"), "USUAL_LIFETIME_MILLIS", null));
        Object builder = RedisLockClient.builder(RedisSource.of("redis://127.0.0.1:1"));
        Duration poll = (Duration) constant(RedisLockClientBuilder.class, "pollInterval", builder);
        Duration handOver = (Duration) constant(RedisLockClientBuilder.class, "handOverTime", builder);
        Duration wait = (Duration) constant(RedisLockClientBuilder.class, "defaultWait", builder);
        return Stream.of(
                of(lease, "README.md", "The lock is free when its lease ends: {} after the last renewal"),
                of(lease, "docs/getting-started.md", "the lock is free {} after its last renewal"),
                of(lease, "docs/jobs.md", "the watchdog timeout ({})"),
                of(lease, "docs/run-once.md", "the watchdog timeout ({})"),
                of(lease, "docs/on-call.md", "`holdfast.watchdog-timeout` ({} by default)"),
                of(lease, "docs/choosing.md", "free within the watchdog timeout, {} by default"),
                of(lease, "docs/leader.md", "when the lease has ended, up to {} later"),
                of(lease, "docs/migrating-from-others.md", "renewed while held, free {} after a crash"),
                of(lease, "docs/migrating-from-shedlock.md", "is free {} after a crash"),
                of(lease.dividedBy(3), "README.md", "is notified at its renewal, within {}"),
                of(lease.dividedBy(3), "docs/on-call.md", "at the next renewal, by default within {}"),
                of(connection.commandTimeout(), "README.md", "within {} after their wait"),
                of(connection.commandTimeout(), "docs/guarantees.md", "one command timeout, by default {}"),
                of(connection.commandTimeout(), "docs/on-call.md", "of the watchdog timeout, at most {})"),
                of(firstConnect, "docs/guarantees.md", "wait until this attempt ends, by default for at most {}"),
                of(firstConnect, "docs/monitoring.md", "A first connection attempt that hangs is reported after {}"),
                of(wait, "README.md", "After `waitTime` ({} by default)"),
                of(poll, "docs/guarantees.md", "one poll interval ({} by default)"),
                of(place.dividedBy(2), "docs/guarantees.md", "up to {} if more than three clients are waiting"),
                of(poll, "docs/on-call.md", "Waiters find the free lock [within {}"),
                of(poll, "docs/redis.md", "`pollInterval` ({})"),
                of(firstLease, "docs/guarantees.md", "died or was paused at that moment | {}"),
                of(firstLease, "docs/guarantees.md", "A paused waiter delays them by {}"),
                of(firstLease.multipliedBy(2), "docs/guarantees.md", "for read/write locks | {}"),
                of(place, "docs/guarantees.md", "all paused waiters together by at most {} more"),
                of(place, "docs/guarantees.md", "A waiter that sends no request for {}"),
                of(place.dividedBy(2), "docs/guarantees.md", "have died or do not answer | {}"),
                of(handOver, "docs/guarantees.md", "passes a lock between them for {} at most"),
                of(handOver, "docs/guarantees.md", "all within {} of the grant"),
                of(wait, "docs/migrating-from-others.md", "`waitTime`, {} by default"),
                of(
                        setting("management.health.holdfast.loss-window"),
                        "docs/monitoring.md",
                        "`management.health.holdfast.loss-window` ({})"),
                of(
                        setting("management.health.holdfast.loss-window"),
                        "docs/on-call.md",
                        "Health is `DEGRADED` for {} after a loss"),
                of(
                        setting("management.health.holdfast.timeout"),
                        "docs/monitoring.md",
                        "`management.health.holdfast.timeout` ({})"));
    }

    private static Bound of(Duration time, String page, String sentence) {
        return new Bound(time, page, sentence);
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void pageStatesTheTimeOfTheCode(Bound bound) {
        String[] parts = bound.sentence().split("\\{}", -1);
        Pattern stated =
                Pattern.compile(Pattern.quote(parts[0]) + "(" + TIME.pattern() + ")" + Pattern.quote(parts[1]));
        List<Duration> times = stated.matcher(Page.of(bound.page()).prose().replaceAll("\\s+", " "))
                .results()
                .map(found -> time(found.group(1)))
                .toList();

        assertThat(times).as("a sentence of " + bound.page()).isNotEmpty().containsOnly(bound.time());
    }

    @Test
    void figuresOfTheFaultRunAreThoseOfItsTable() {
        String run = Page.of("lab/trials/README.md").text();
        String readme = Page.of("README.md").text();
        long twoHolders = Pattern.compile("\\| ([\\d,]+), not promised \\|")
                .matcher(run)
                .results()
                .mapToLong(count -> Long.parseLong(count.group(1).replace(",", "")))
                .sum();
        var sum = Pattern.compile(
                        "\\| \\*\\*all\\*\\* \\| \\d+ \\| \\*\\*([\\d,]+)\\*\\* \\| \\*\\*([\\d,]+)\\*\\* \\|[ 0|]*\\| ([\\d,]+) \\|")
                .matcher(run);

        assertThat(sum.find()).isTrue();
        assertThat(sum.group(3)).isEqualTo(String.format("%,d", twoHolders));
        assertThat(readme)
                .contains(sum.group(2) + " locks were granted")
                .contains("failed " + sum.group(1) + " times")
                .contains(String.format("two holders overlapped %,d times", twoHolders))
                .contains("](lab/trials/README.md#the-last-long-run)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/jobs.md", "docs/redis.md"})
    void pagesSayHowLongTheRecordOfAJobIsKept(String page) throws Exception {
        Duration memory = (Duration) constant(Class.forName("dev.holdfast.lock.spring.job.TickRule"), "MEMORY", null);

        assertThat(Page.of(page).text())
                .contains(memory.toDays() + " days after the second next tick")
                .doesNotContain("hour after the second next tick");
    }

    private static Duration time(String text) {
        var parts = TIME.matcher(text);
        assertThat(parts.matches()).isTrue();
        Double word = NUMBERS.get(parts.group(1));
        double number = word != null ? word : Double.parseDouble(parts.group(1));
        double millis = parts.group(2).startsWith("ms") ? 1 : parts.group(2).startsWith("s") ? 1_000 : 60_000;
        return Duration.ofMillis(Math.round(number * millis));
    }

    private static Object constant(Class<?> type, String name, @Nullable Object target)
            throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(target);
    }

    private static Duration setting(String name) {
        return SettingMetadata.all().stream()
                .filter(each -> name.equals(each.get("name")) && each.get("defaultValue") != null)
                .findFirst()
                .map(each -> DurationStyle.detectAndParse((String) each.get("defaultValue")))
                .orElseThrow(() -> new AssertionError(name + " has no default"));
    }
}
