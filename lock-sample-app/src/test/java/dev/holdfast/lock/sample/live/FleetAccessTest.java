package dev.holdfast.lock.sample.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.sample.ShopSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class FleetAccessTest {

    private final FleetAccess access = new FleetAccess(new ShopSettings(
            "shop-2",
            Duration.ZERO,
            List.of(
                    new ShopSettings.Member("shop-1", "http://localhost:8081"),
                    new ShopSettings.Member("shop-2", "http://localhost:8082")),
            URI.create("http://127.0.0.1:8080")));

    @Test
    void pageOfAnotherInstanceReadsThisOnesEvents() throws Exception {
        MockHttpServletResponse response = answer("localhost:8082", "http://localhost:8081");
        assertThat(response.getStatus()).isEqualTo(200);
        assertThat(response.getHeader("Access-Control-Allow-Origin")).isEqualTo("http://localhost:8081");
    }

    @Test
    void pageMayConnectToTheWholeFleet() throws Exception {
        assertThat(answer("localhost:8082", null).getHeader("Content-Security-Policy"))
                .contains("connect-src 'self' http://localhost:8081 http://localhost:8082;");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:8082, http://127.0.0.1:8080, 200",
        "localhost:8082, http://evil.example, 403",
        "localhost:8082, http://localhost:9999, 403",
        "evil.example:8082,, 403"
    })
    void onlyPagesOfTheFleetAndItsLauncherReadThisOnesEvents(String host, String origin, int status) throws Exception {
        assertThat(answer(host, origin).getStatus()).isEqualTo(status);
    }

    private MockHttpServletResponse answer(String host, String origin) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/events");
        request.addHeader("Host", host);
        if (origin != null) {
            request.addHeader("Origin", origin);
        }
        MockHttpServletResponse response = new MockHttpServletResponse();
        access.doFilter(request, response, new MockFilterChain());
        return response;
    }
}
