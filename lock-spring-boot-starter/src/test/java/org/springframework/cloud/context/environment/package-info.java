@org.jspecify.annotations.NullMarked
package org.springframework.cloud.context.environment;
