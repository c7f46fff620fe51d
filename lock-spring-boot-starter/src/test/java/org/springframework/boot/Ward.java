package org.springframework.boot;

import dev.holdfast.lock.spring.DistributedLock;

/** A class of an application in a package of Spring Boot, but not from its jar. */
public class Ward {
    @DistributedLock(name = "ward")
    public void round() {}
}
