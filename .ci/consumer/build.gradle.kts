plugins {
    java
    id("org.springframework.boot") version "4.1.1"
}

val holdfast = providers.gradleProperty("holdfast.version").get()

repositories {
    maven(providers.gradleProperty("staging").get())
    mavenCentral()
}

dependencies {
    implementation(platform(org.springframework.boot.gradle.plugin.SpringBootPlugin.BOM_COORDINATES))
    implementation(platform("dev.holdfast:holdfast-bom:$holdfast"))
    implementation("dev.holdfast:lock-spring-boot-starter")
    testImplementation("dev.holdfast:lock-test")
    testImplementation("org.springframework.boot:spring-boot-starter-test")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test {
    useJUnitPlatform()
}
