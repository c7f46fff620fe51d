package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.sample.ShopSettings;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Rejects requests from other sites' pages. The shop has no login, and every page in the same browser can send requests to this machine. Therefore,
 * the host of a request must be this machine, because an attacker's host name may resolve to it. A request from a page must come from one of the
 * fleet's pages.
 *
 * <p>A shop with users has Spring Security instead, with its own headers and CSRF protection.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class FleetAccess extends OncePerRequestFilter {

    private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");

    /** The origins of the fleet's pages: the launcher, and each configured instance. */
    private final Set<String> pages;

    private final String policy;

    FleetAccess(ShopSettings settings) {
        Set<String> pages = new LinkedHashSet<>();
        settings.fleet().forEach(instance -> pages.add(instance.url()));
        this.policy = "default-src 'self'; connect-src 'self' " + String.join(" ", pages) + "; frame-ancestors 'none'";
        if (settings.control() != null) {
            pages.add(settings.control().toString());
        }
        this.pages = Set.copyOf(pages);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = String.valueOf(request.getHeader(HttpHeaders.HOST));
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        boolean own = origin == null || origin.equals("http://" + host);
        if (!HOSTS.contains(host.replaceFirst(":\\d+$", "")) || !(own || pages.contains(origin))) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN);
            return;
        }
        if (!own) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            response.addHeader(HttpHeaders.VARY, HttpHeaders.ORIGIN);
        }
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", policy);
        chain.doFilter(request, response);
    }
}
