package dev.holdfast.lock.spring.interceptor;

/** What asking for a call's locks came to: {@link Admission} to the body, or {@link Refusal}. */
sealed interface Entry permits Admission, Refusal {}
