package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A process that is an instance of an application. It does what it is told, line by line, on one thread. With "hold", its method waits for another
 * line while it runs.
 */
final class InstanceProcess implements AutoCloseable {

    private static final String RUNS = "runs";
    private static final String DONE = "done";

    private final ChildJvm jvm;

    private InstanceProcess(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /** Starts a process. It can be told at once what to do. */
    static InstanceProcess start(String prefix) throws IOException {
        String uri = RedisServer.shared().uri().toURI().toString();
        return new InstanceProcess(ChildJvm.start(List.of(), List.of(), InstanceProcess.class, uri, prefix));
    }

    void fire() throws IOException {
        jvm.say("fire");
    }

    void migrate(String version) throws IOException {
        jvm.say("migrate " + version);
    }

    /** Returns when the method runs. */
    void hold(String what) throws IOException {
        jvm.say(what + " hold");
        jvm.await(RUNS);
    }

    void goOn() throws IOException {
        jvm.say("go on");
    }

    /** Waits for the end of what the process was told. Returns how it ended and how often its method ran, as in "done 1 null". */
    String done() throws IOException {
        return jvm.await(DONE);
    }

    /** Returns how often the method ran. On a machine that stands still, a lease may be lost; any other failure is one. */
    int runs() throws IOException {
        String done = done();
        assertThat(done).matches("done \\d (null|" + LeaseLostException.class.getName() + ".*)");
        return Integer.parseInt(done.split(" ")[1]);
    }

    void signal(String name) throws IOException, InterruptedException {
        jvm.signal(name);
    }

    @Override
    public void close() {
        jvm.close();
    }

    public static void main(String[] args) throws IOException {
        BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Locked instance = Locked.instance(args[0], args[1], Job.class)) {
            for (String line = told.readLine(); line != null; line = told.readLine()) {
                Body body = new Body(told, line.endsWith(" hold"));
                String[] words = line.split(" ");
                Throwable failure = null;
                try {
                    if (words[0].equals("migrate")) {
                        migrate(instance, words[1], body);
                    } else {
                        instance.bean(Job.class).run(body);
                    }
                } catch (RuntimeException e) {
                    failure = e;
                }
                System.out.println(DONE + " " + body.runs + " " + failure);
            }
        }
    }

    private static void migrate(Locked instance, String version, Body body) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setAllowCircularReferences(false);
            Locked.property("shop.version", version).accept(context);
            context.registerBean(
                    "locks",
                    dev.holdfast.lock.LockClient.class,
                    instance::locks,
                    definition -> definition.setDestroyMethodName(""));
            context.register(LockInterceptionConfiguration.class, Migration.class);
            context.refresh();
            context.getBean(Migration.class).run(body);
        }
    }

    private static final class Body implements Runnable {
        private final BufferedReader told;
        private final boolean holds;
        private int runs;

        Body(BufferedReader told, boolean holds) {
            this.told = told;
            this.holds = holds;
        }

        @Override
        public void run() {
            runs++;
            System.out.println(RUNS);
            try {
                if (holds) {
                    told.readLine();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** One tick a year: the test decides when the next one begins. */
    static class Job {
        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "job", waitTime = "30s", leaseTime = "2s")
        public void run(Runnable body) {
            body.run();
        }
    }

    static class Migration {
        @RunOnce(name = "migrate", per = "${shop.version}", waitTime = "1m")
        public void run(Runnable body) {
            body.run();
        }
    }
}
