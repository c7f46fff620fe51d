package dev.holdfast.lock.spring.boot.actuate;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockForceReleased;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.crypto.password.NoOpPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;

/** A web application with annotated methods, and an operator who asks it over HTTP. */
final class OperatedApplication implements AutoCloseable {

    private static final ClassLoader NO_SECURITY =
            new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security");

    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();

    private OperatedApplication(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static OperatedApplication withSecurity(String... properties) {
        return withSecurity(List.of(), properties);
    }

    /** With the filter chain that docs/endpoints.md shows, and the user olga. */
    static OperatedApplication withSecurity(List<Class<?>> more, String... properties) {
        List<Class<?>> sources = new ArrayList<>(more);
        sources.add(Security.class);
        return withSecurityDefaults(sources, properties);
    }

    /** With the filter chain of Spring Boot, and the user olga. */
    static OperatedApplication withSecurityDefaults(List<Class<?>> more, String... properties) {
        List<Class<?>> sources = new ArrayList<>(more);
        sources.addAll(List.of(Application.class, PlainPasswords.class));
        return new OperatedApplication(new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                .properties(common(properties))
                .properties(
                        "spring.security.user.name=olga",
                        "spring.security.user.password=secret",
                        "spring.security.user.roles=OPERATOR")
                .run());
    }

    static OperatedApplication withoutSecurity(String... properties) {
        return of(List.of(), properties);
    }

    /** On a server of the test's own, perhaps with beans of the test's own; without Spring Security. */
    static OperatedApplication of(List<Class<?>> more, String... properties) {
        List<Class<?>> sources = new ArrayList<>(more);
        sources.add(Application.class);
        return new OperatedApplication(new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                .resourceLoader(new DefaultResourceLoader(NO_SECURITY))
                .properties(common(properties))
                .run());
    }

    /** What is given wins. */
    private static String[] common(String... properties) {
        List<String> all = new ArrayList<>();
        all.add("server.port=0");
        all.add("server.address=127.0.0.1");
        all.add("spring.main.banner-mode=off");
        all.add("spring.jmx.enabled=false");
        all.add("spring.data.redis.host=127.0.0.1");
        all.add("spring.data.redis.port=" + RedisServer.shared().port());
        all.add("holdfast.watchdog-timeout=9s");
        all.add("management.endpoints.web.exposure.include=*");
        all.addAll(List.of(properties));
        return all.toArray(String[]::new);
    }

    Jobs jobs() {
        return context.getBean(Jobs.class);
    }

    LockClient locks() {
        return context.getBean(LockClient.class);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    List<LockForceReleased> releases() {
        return context.getBean(Audit.class).releases;
    }

    /** The path of one lock. */
    static String lock(String name) {
        return "/actuator/locks?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }

    HttpResponse<String> get(String path) {
        return send(request(path));
    }

    HttpResponse<String> getAsOperator(String path) {
        return send(asOperator(request(path)));
    }

    HttpResponse<String> delete(String path) {
        return send(request(path).DELETE());
    }

    HttpResponse<String> deleteAsOperator(String path) {
        return send(asOperator(request(path)).DELETE());
    }

    HttpResponse<String> post(String path, String json) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    HttpResponse<String> postAsOperator(String path, String json) {
        return send(asOperator(request(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private static HttpRequest.Builder asOperator(HttpRequest.Builder request) {
        String credentials = Base64.getEncoder().encodeToString("olga:secret".getBytes());
        return request.header("Authorization", "Basic " + credentials);
    }

    private HttpRequest.Builder request(String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Audit audit() {
            return new Audit();
        }
    }

    /** Otherwise each request costs a hash that is slow on purpose. */
    static class PlainPasswords {

        @Bean
        @SuppressWarnings("deprecation") // Not for production, as its documentation says.
        PasswordEncoder passwords() {
            return NoOpPasswordEncoder.getInstance();
        }
    }

    /** As docs/endpoints.md shows it. */
    static class Security {

        @Bean
        SecurityFilterChain actuator(HttpSecurity http) throws Exception {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.requestMatchers(EndpointRequest.to("health"))
                            .permitAll()
                            .anyRequest()
                            .hasRole("OPERATOR"))
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.ignoringRequestMatchers(EndpointRequest.to("jobs", "locks")))
                    .build();
        }
    }

    static class Audit {

        final List<LockForceReleased> releases = new CopyOnWriteArrayList<>();

        @EventListener
        void note(LockForceReleased event) {
            releases.add(event);
            throw new IllegalStateException("a listener's own fault");
        }
    }

    /** Public: its proxy is of another class loader where Spring Security is filtered out. */
    public static class Jobs {

        @DistributedLock(name = "refund", fallback = "refundLater")
        void refund() {}

        void refundLater() {}

        @DistributedLock(name = "order", key = "#id", waitTime = "30s")
        public void order(String id, String secret, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "order", keys = "#ids", waitTime = "30s")
        public void orders(List<String> ids) {}
    }
}
