package dev.holdfast.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.xml.Assertions.xml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.test.SourceSpecs;

class FromSpringIntegrationTest extends Migration {

    FromSpringIntegrationTest() {
        super(new FromSpringIntegration());
    }

    private static final String BEAN = """
            import org.springframework.context.annotation.Bean;
            import org.springframework.context.annotation.Configuration;
            import org.springframework.data.redis.connection.RedisConnectionFactory;
            import org.springframework.integration.redis.util.RedisLockRegistry;
            import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
            import org.springframework.integration.support.locks.LockRegistry;

            @Configuration
            class Locks {

                private static final String KEY = "orders";

                @Bean
                LockRegistry lockRegistry(RedisConnectionFactory factory) {
                    %s
                }
            }
            """;

    private static String bean(String body) {
        return BEAN.formatted(body)
                .replace(
                        body.contains("RedisLockType.")
                                ? "no import"
                                : "import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;\n",
                        "");
    }

    private static String moved(String body) {
        return """
                import dev.holdfast.lock.LockClient;
                import dev.holdfast.lock.integration.HoldfastLockRegistry;
                import org.springframework.context.annotation.Bean;
                import org.springframework.context.annotation.Configuration;
                import org.springframework.integration.support.locks.LockRegistry;

                @Configuration
                class Locks {

                    private static final String KEY = "orders";

                    %s
                    @Bean
                    LockRegistry lockRegistry(LockClient lockClient) {
                        %s
                    }
                }
                """.formatted(Note.REGISTRY_MOVED.line(), body);
    }

    private static SourceSpecs beanMoves() {
        return java(
                bean("return new RedisLockRegistry(factory, KEY);"),
                moved("return new HoldfastLockRegistry(lockClient, KEY);"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "return new RedisLockRegistry(factory, \"orders\");|return new HoldfastLockRegistry(lockClient, \"orders\");",
                "return new RedisLockRegistry(factory, KEY, 30_000);|return new HoldfastLockRegistry(lockClient, KEY);",
            })
    void beanCreatesHoldfastsRegistry(String body, String moved) {
        rewriteRun(java(bean(body), moved(moved)));
    }

    @Test
    void beanIsNotDestroyedByAMethodThatTheRegistryLacks() {
        rewriteRun(java(
                bean("return new RedisLockRegistry(factory, KEY);")
                        .replace("@Bean", "@Bean(name = \"locks\", destroyMethod = \"destroy\")"),
                moved("return new HoldfastLockRegistry(lockClient, KEY);")
                        .replace("@Bean", "@Bean(name = \"locks\")")));
    }

    @Test
    void settingsOfTheBeanAreDropped() {
        rewriteRun(java(bean("""
                        RedisLockRegistry registry = new RedisLockRegistry(factory, KEY);
                                registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
                                registry.setCacheCapacity(10);
                                return registry;"""), moved("""
                        HoldfastLockRegistry registry = new HoldfastLockRegistry(lockClient, KEY);
                                return registry;""")));
    }

    @Test
    void classThatAsksForTheRegistryByItsClassAsksForHoldfasts() {
        rewriteRun(beanMoves(), java("""
                        import java.util.concurrent.locks.Lock;
                        import org.springframework.integration.redis.util.RedisLockRegistry;

                        class Orders {

                            private final RedisLockRegistry registry;

                            Orders(RedisLockRegistry registry) {
                                this.registry = registry;
                            }

                            void renew(String order) {
                                registry.renewLock(order);
                            }

                            void place(String order) {
                                Lock lock = registry.obtain(order);
                                lock.lock();
                                lock.unlock();
                            }
                        }
                        """, """
                        import dev.holdfast.lock.integration.HoldfastLockRegistry;

                        import java.util.concurrent.locks.Lock;

                        class Orders {

                            private final HoldfastLockRegistry registry;

                            Orders(HoldfastLockRegistry registry) {
                                this.registry = registry;
                            }

                            %s
                            void renew(String order) {
                                registry.renewLock(order);
                            }

                            void place(String order) {
                                Lock lock = registry.obtain(order);
                                lock.lock();
                                lock.unlock();
                            }
                        }
                        """.formatted(Note.REGISTRY_RENEWED.line())));
    }

    @Test
    void usersOfTheInterfaceStay() {
        rewriteRun(beanMoves(), java("""
                        import org.springframework.context.annotation.Bean;
                        import org.springframework.context.annotation.Configuration;
                        import org.springframework.integration.leader.DefaultCandidate;
                        import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
                        import org.springframework.integration.support.locks.LockRegistry;

                        @Configuration
                        class Leaders {

                            @Bean
                            LockRegistryLeaderInitiator leader(LockRegistry registry) {
                                return new LockRegistryLeaderInitiator(registry, new DefaultCandidate("orders-1", "orders"));
                            }
                        }
                        """));
    }

    @Test
    void registryThatNoBeanCreatesKeepsAllRegistries() {
        String orders = """
                import org.springframework.data.redis.connection.RedisConnectionFactory;
                import org.springframework.integration.redis.util.RedisLockRegistry;

                %sclass Orders {

                    private final RedisLockRegistry registry;

                    Orders(RedisConnectionFactory factory) {
                        this.registry = new RedisLockRegistry(factory, "orders");
                    }
                }
                """;
        rewriteRun(
                java(orders.formatted(""), orders.formatted(Note.REGISTRY_LEFT.line() + "\n")),
                java(bean("return new RedisLockRegistry(factory, KEY);")));
    }

    @Test
    void registryOfOneProcessGetsAComment() {
        String locks = """
                import org.springframework.context.annotation.Bean;
                import org.springframework.context.annotation.Configuration;
                import org.springframework.integration.support.locks.DefaultLockRegistry;
                import org.springframework.integration.support.locks.LockRegistry;

                @Configuration
                class Local {

                    %s@Bean
                    LockRegistry localRegistry() {
                        return new DefaultLockRegistry();
                    }
                }
                """;
        rewriteRun(java(locks.formatted(""), locks.formatted(Note.REGISTRY_ELSEWHERE.line() + "\n    ")));
    }

    @Test
    void dependencyIsReplacedWithTheLastUse() {
        rewriteRun(
                spec -> spec.expectedCyclesThatMakeChanges(2),
                beanMoves(),
                xml("""
                        <project>
                          <dependencies>
                            <dependency>
                              <groupId>org.springframework.integration</groupId>
                              <artifactId>spring-integration-redis</artifactId>
                            </dependency>
                          </dependencies>
                        </project>
                        """, """
                        <project>
                          <dependencies>
                            <dependency>
                              <groupId>dev.holdfast</groupId>
                              <artifactId>lock-spring-boot-starter</artifactId>
                              <version>%1$s</version>
                            </dependency>
                            <dependency>
                              <groupId>dev.holdfast</groupId>
                              <artifactId>lock-spring-integration</artifactId>
                              <version>%1$s</version>
                            </dependency>
                          </dependencies>
                        </project>
                        """.formatted(HoldfastVersion.get()), spec -> spec.path("pom.xml")));
    }
}
