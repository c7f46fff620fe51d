package dev.holdfast.lock.test.spring;

import static dev.holdfast.lock.test.LockAssertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.holdfast.lock.test.InMemoryLockClient;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.test.web.servlet.MockMvc;

/** Parts of an application have locks in tests, too. */
class SliceTest {

    private static final String SETTING_OF_ANOTHER_PART = "holdfast.locks.in-another-part.bypass=true";

    @Nested
    @WebMvcTest(controllers = LockedApplication.Orders.class, properties = SETTING_OF_ANOTHER_PART)
    class OfTheWeb {

        @Autowired
        MockMvc mvc;

        @Autowired
        InMemoryLockClient locks;

        @Test
        void controllerRunsWithItsLock() throws Exception {
            mvc.perform(post("/orders")).andExpect(status().isOk());

            assertThat(locks).acquired("web");
        }
    }

    @Nested
    @ExtendWith(SpringExtension.class)
    @ContextConfiguration(classes = {LockedApplication.Payments.class, LockedApplication.Gateway.class})
    @AutoConfigureHoldfastTest
    @TestPropertySource(properties = SETTING_OF_ANOTHER_PART)
    class OfAFewBeans {

        @Autowired
        LockedApplication.Payments payments;

        @Autowired
        InMemoryLockClient locks;

        @Test
        void serviceRunsWithItsLock() {
            payments.guarded();

            assertThat(locks).acquired("guarded");
        }
    }
}
