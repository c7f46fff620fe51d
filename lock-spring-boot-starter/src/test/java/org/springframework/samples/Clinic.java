package org.springframework.samples;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;

/** A class of an application whose package begins as Spring's own do. */
public class Clinic {

    /** A declaration that cannot work. */
    public static class Invalid {
        @DistributedLock(name = "clinic")
        private void treat() {}
    }

    public String visit() {
        return treat();
    }

    @DistributedLock(name = "clinic")
    public String treat() {
        return LockContext.find().map(lease -> lease.lockName()).orElse("none");
    }
}
