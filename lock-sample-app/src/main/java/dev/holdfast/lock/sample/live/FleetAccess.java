package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.sample.ShopSettings;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps other sites' pages out. The shop has no login, and every page in the same browser can send requests to this machine. So a request must
 * name this host, which a rebound DNS name does not, and a request from a page must come from the fleet's own.
 *
 * <p>A shop with users has Spring Security instead, with its own headers and CSRF protection.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class FleetAccess extends OncePerRequestFilter {

    private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");

    private final @Nullable String launcher;

    FleetAccess(ShopSettings settings) {
        this.launcher = settings.control() == null ? null : settings.control().toString();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = String.valueOf(request.getHeader(HttpHeaders.HOST));
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        boolean own = origin == null || origin.equals("http://" + host);
        if (!HOSTS.contains(host.replaceFirst(":\\d+$", "")) || !(own || origin.equals(launcher))) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN);
            return;
        }
        if (!own) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            response.addHeader(HttpHeaders.VARY, HttpHeaders.ORIGIN);
        }
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'");
        chain.doFilter(request, response);
    }
}
