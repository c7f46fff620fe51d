package dev.holdfast.lock.sample.live;

import dev.holdfast.lock.sample.ShopSettings;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Lets the pages of the fleet's other instances use this one, and nobody else's. */
@Configuration(proxyBeanMethods = false)
class FleetAccess implements WebMvcConfigurer {

    private final ShopSettings settings;

    FleetAccess(ShopSettings settings) {
        this.settings = settings;
    }

    @Override
    public void addCorsMappings(CorsRegistry registry) {
        String[] fleet = settings.fleet().stream().map(ShopSettings.Member::url).toArray(String[]::new);
        if (fleet.length > 0) {
            registry.addMapping("/**").allowedOrigins(fleet).allowedMethods("GET", "POST");
        }
    }
}
